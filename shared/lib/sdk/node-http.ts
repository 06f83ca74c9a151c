/**
 * Replaces `node:http` in the bundles. An ES module that imports it reads all its exports, also WebSocket, which takes 20 ms or more of processor time to load;
 * this reads those alone that the SDK and middy use.
 */
const http = process.getBuiltinModule('node:http');

export const { Agent, request, STATUS_CODES } = http;
