import { expect, test } from 'vitest';
import { drawRooms, findDrawnRooms, ROOMS_PAGE } from './draw-rooms.ts';
import { readSource } from './source-files.ts';

test('the graphs of rooms in shared/README.md are those of the import rules; `node test/rules/draw-rooms.ts` redraws them', () => {
  expect(findDrawnRooms(readSource(ROOMS_PAGE))).toBe(drawRooms());
});

test('a graph has a node for each room and an arrow for each import that is allowed', () => {
  const drawn = drawRooms();
  expect(drawn).toContain('  room_report["report"]');
  expect(drawn).toContain('  room_report --> room_catalog\n');
  expect(drawn).not.toContain('room_report --> room_store');
});
