/** The demo's API keys and the users they belong to. They exist in local tables only. */
export const DEMO_KEYS = {
  ecap_demo_agency: 'demo-agency',
  ecap_demo_cpg: 'demo-cpg',
} as const;

/** Whose view of the network each key gives: the name of its user. */
export const DEMO_VIEWS: Readonly<Record<keyof typeof DEMO_KEYS, string>> = {
  ecap_demo_agency: 'Agency planner',
  ecap_demo_cpg: 'Brand manager',
};

/** Ids that are visible with both keys, whichever days the demo covers. */
export const DEMO_EXAMPLES = { accountId: 1001, advertiserId: 2001, adGroupId: 70_001 } as const;

/** The key with which the demo's shopper ids are hashed. It is public, and the same everywhere, so that estimates of unique users are as documented. */
export const DEMO_USER_ID_KEY: Uint8Array = new TextEncoder().encode('endcap demo key!');
