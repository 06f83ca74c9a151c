/** The API keys of the demo network and the users they belong to. Local only: no deployed stack knows them. */
export const DEMO_KEYS = {
  ecap_demo_agency: 'demo-agency',
  ecap_demo_cpg: 'demo-cpg',
} as const;

/** Ids that both keys may ask for, whatever days the demo covers. */
export const DEMO_EXAMPLES = { accountId: 1001, advertiserId: 2001, adGroupId: 70_001 } as const;
