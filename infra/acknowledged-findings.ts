import { type Stack, Validations } from 'aws-cdk-lib';

/** What the AwsSolutions rules of cdk-nag find in the stack and what stands as it is, each with the reason. A test sees to it that there is no other finding. */
const ACKNOWLEDGED: readonly { readonly id: string; readonly reason: string }[] = [];

/** Tells cdk-nag which of its findings are meant to be so. */
export function acknowledgeFindings(stack: Stack): void {
  Validations.of(stack).acknowledge(...ACKNOWLEDGED);
}
