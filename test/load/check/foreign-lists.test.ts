import { describe, expect, test } from 'vitest';
import { deliveryCsv } from '../support/folder.ts';
import { useRejections } from '../support/use-rejections.ts';

const { load, expectProblems } = useRejections();

const REASON =
  'looks like a list written by another program; join the members with |, or write NDJSON or Parquet if they have such brackets';

const deliveryWith = (users: string) => deliveryCsv(`2026-03-01,0,1000,,,,,,1,0,0,"${users}"`);
const adGroupsWith = (segments: string) =>
  `id,name,campaignId,status,segmentIds\n1000,A,100,ACTIVE,"${segments}"\n1001,B,100,ACTIVE,s1|s2\n`;

/** Each was loaded as one member, so that unique users were wrong without any error. */
describe('a CSV cell with a list', () => {
  test.each([
    ['as pandas writes it', "['u1', 'u2', 'u3']"],
    ['as DuckDB writes it', '[u1, u2, u3]'],
    ['as PostgreSQL writes it', '{u1,u2,u3}'],
    ['as JSON', '[""u1"",""u2""]'],
    ['without members', '[]'],
  ])('%s is reported with file, line and field, in facts and in listings', async (_, cell) => {
    await expectProblems({ 'facts/pla/delivery.csv': deliveryWith(cell), 'ad_groups.csv': adGroupsWith(cell) }, [
      `ad_groups.csv:2: segmentIds ${REASON}`,
      `facts/pla/delivery.csv:2: users ${REASON}`,
    ]);
  });

  test.each([
    ['as a tuple', "('u1', 'u2')"],
    ['as a tuple with the separator', '(u1|u2)'],
    ['as Scala writes it', 'List(u1, u2)'],
    ['as R writes it', 'c(""u1"", ""u2"")'],
    ['with tabs', 'u1\tu2'],
    ['with the separator of Hive', 'u1\u0002u2'],
    ['with line breaks', 'u1\nu2'],
  ])('%s is reported in users', async (_, cell) => {
    await expectProblems({ 'facts/pla/delivery.csv': deliveryWith(cell) }, [
      `facts/pla/delivery.csv:2: users ${REASON}`,
    ]);
  });

  test('may have parentheses in listings, and in users beside other text', async () => {
    const files = { 'facts/pla/delivery.csv': deliveryWith('u(1)x|a b(2)'), 'ad_groups.csv': adGroupsWith('(RED)') };
    expect(await load(files)).toMatchObject({ outcome: 'loaded', problems: [] });
  });

  test('is loaded if brackets enclose some of its members, but not the whole cell', async () => {
    const files = { 'facts/pla/delivery.csv': deliveryWith('[u1] a|{u2}|u3') };
    expect(await load(files)).toMatchObject({ outcome: 'loaded', problems: [] });
  });
});
