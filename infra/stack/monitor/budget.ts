import { CfnBudget } from 'aws-cdk-lib/aws-budgets';
import type { Construct } from 'constructs';
import type { Settings } from '../../config/settings.ts';

/** Adds a budget of the whole account: costs can be assigned to a stack only by tags that the account's owner has activated for it. */
export function addBudget(scope: Construct, { usdPerMonth, email }: NonNullable<Settings['budget']>): void {
  new CfnBudget(scope, 'Budget', {
    budget: { budgetType: 'COST', timeUnit: 'MONTHLY', budgetLimit: { amount: usdPerMonth, unit: 'USD' } },
    notificationsWithSubscribers: ['ACTUAL', 'FORECASTED'].map((notificationType) => ({
      notification: { notificationType, comparisonOperator: 'GREATER_THAN', threshold: 100 }, // in percent
      subscribers: [{ subscriptionType: 'EMAIL', address: email }],
    })),
  });
}
