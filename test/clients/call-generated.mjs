// Calls the API with openapi-fetch and the types of openapi-typescript, and prints what it returns; arguments are the base URL and the API key.
// The TypeScript compiler checks that the members of a response have types without narrowing.
import createClient from 'openapi-fetch';

const [url = '', key = ''] = process.argv.slice(2);
const options = { baseUrl: url, headers: { 'Ocp-Apim-Subscription-Key': key } };
/** @type {ReturnType<typeof createClient<import('./schema.d.ts').paths>>} */
const client = createClient(options);

const accounts = await client.GET('/metadata/accounts', { params: { query: { size: 2 } } });
console.log(accounts.data?.data[0]?.name, accounts.data?.meta.page.total);

/** @param {string} endDate */
const submit = (endDate) =>
  client.POST('/report/{experience_name}', {
    params: { path: { experience_name: 'pla' } },
    body: {
      ...{ startDate: '2026-02-23', endDate, advertiserIds: [], filters: [] },
      ...{ metrics: ['impressions', 'cost'], dimensions: ['campaign_name'] },
      ...{ sort: [{ field: 'cost', order: 'DESC' }], pagination: { offset: 0, size: 1 } },
    },
  });
const { data } = await submit('2026-03-01');
const row = data?.data[0];
console.log(data?.totalCount, row?.campaign_name, row?.impressions?.toFixed(), row?.cost);

const { error, response } = await submit('2026-02-01');
console.log(response.status, error?.code);
