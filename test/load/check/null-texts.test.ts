import { describe, expect, test } from 'vitest';
import { deliveryCsv, ndjson, REQUIRED_KEYS } from '../support/fact-lines.ts';
import { useRejections } from '../support/use-rejections.ts';

const { load, expectProblems } = useRejections();

const reasonFor = (text: string) => `is ${text}, which is NULL as another program writes it: leave the cell empty`;

/** They were loaded as texts, and as ids of users: one user had all rows without any. */
describe('NULL as another program writes it in CSV', () => {
  test('is rejected in every column, and as a member of a list', async () => {
    const reason = reasonFor('\\N');
    const files = {
      'users.csv': 'userId,name,userType,accountIds\n\\N,Ana,CPG,1|\\N\n',
      'ad_groups.csv':
        'id,name,campaignId,status,segmentIds\n1000,\\N,100,ACTIVE,\\N|s2\n1001,B,100,ACTIVE,\n1100,C,110,ACTIVE,\n',
      'facts/pla/delivery.csv': deliveryCsv('2026-03-01,0,1000,\\N,\\N,\\N,\\N,\\N,1,0,0,u1|\\N'),
    };
    await expectProblems(files, [
      `ad_groups.csv:2: name ${reason}`,
      `ad_groups.csv:2: segmentIds has a member that ${reason}`,
      `users.csv:2: userId ${reason}`,
      `users.csv:2: accountIds has a member that ${reason}`,
      ...['placement_id', 'division_banner', 'keyword', 'entity_id', 'creative_key'].map(
        (column) => `facts/pla/delivery.csv:2: ${column} ${reason}`,
      ),
      `facts/pla/delivery.csv:2: users has a member that ${reason}`,
    ]);
  });

  test.each(['NULL', 'null', 'None', 'NaN', 'nan', 'NA', '<NA>', 'n/a', 'N/A', '#N/A', 'nil', '<nil>', 'undefined'])(
    'is rejected in users as %s',
    async (text) => {
      await expectProblems({ 'facts/pla/delivery.csv': deliveryCsv(`2026-03-01,0,1000,,,${text},,,1,0,0,${text}`) }, [
        `facts/pla/delivery.csv:2: users has a member that ${reasonFor(text)}`,
      ]);
    },
  );

  test('may be part of a text, a word in columns other than users, and any text in other formats', async () => {
    const csv = deliveryCsv('2026-03-01,0,1000,,a\\N,nan,,NULL,1,0,0,\\N1|nana|Nullo');
    expect(await load({ 'facts/pla/delivery.csv': csv })).toMatchObject({ outcome: 'loaded' });
    const row = { ...REQUIRED_KEYS, keyword: '\\N', impressions: 1, users: ['\\N', 'nan'] };
    expect(await load({ 'facts/pla/delivery.ndjson': ndjson(row) })).toMatchObject({ outcome: 'loaded' });
  });
});
