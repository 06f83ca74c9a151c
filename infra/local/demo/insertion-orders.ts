import type { Campaign } from './campaigns.ts';
import { createRandom } from './random.ts';

/**
 * @returns the rows of the load file `insertion_orders`: one line item per ordered campaign, up to three line items per order; drafts and a few other campaigns
 * are not ordered
 */
export function makeInsertionOrders(campaigns: readonly Campaign[]) {
  const random = createRandom('insertion orders');
  const ordered = campaigns.filter((campaign) => campaign.status !== 'DRAFT' && !random.chance(0.12));
  const orders = Map.groupBy(ordered, (campaign) => `${campaign.advertiserId}${Math.floor(campaign.id / 3)}`);
  return [...orders.values()].flatMap((lines, order) => {
    const amounts = lines.map(() => random.int(4, 60) * 50);
    const total = amounts.reduce((sum, amount) => sum + amount, 0);
    const remaining = Math.round(total * random.next() * 100) / 100;
    return lines.map((campaign, line) => ({
      campaignId: campaign.id,
      billings: `BILL-${campaign.advertiserId}-${campaign.startDate.slice(0, 4)}`,
      purchaseOrderNumber: `PO-${880_000 + order * 37}`,
      ioName: `${lines[0]?.name} Order`,
      ioNumber: `IO-${2_400 + order}`,
      ioTotalAmount: total,
      ioRemainingAmount: remaining,
      ioLineItemName: `${campaign.name} – Line ${line + 1}`,
      ioLineItemNumber: `IO-${2_400 + order}-${line + 1}`,
      ioLineItemAmount: amounts[line] ?? 0,
    }));
  });
}
