/** The API keys of the demo network and the users they belong to. Local only: no deployed stack knows them. */
export const DEMO_KEYS = {
  ecap_demo_agency: 'demo-agency',
  ecap_demo_cpg: 'demo-cpg',
} as const;
