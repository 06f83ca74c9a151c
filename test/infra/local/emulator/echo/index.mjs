/** The function behind the gateway in the tests of the emulator. The parameter `do` of the request selects what it does. */
let calls = 0;
let running = 0;

const ACTIONS = {
  event: async (event) => json(event),
  respond: async (event) => JSON.parse(event.body),
  count: async () => {
    running += 1;
    const concurrent = running;
    await new Promise((resolve) => setTimeout(resolve, 20));
    running -= 1;
    return json({ calls, concurrent });
  },
  hang: () => {
    console.log('the function hangs');
    return new Promise((resolve) => setTimeout(resolve, 2 ** 31 - 1));
  },
  block: async () => {
    for (;;);
  },
  throw: async () => {
    throw new Error('on purpose');
  },
  allocate: async () => {
    for (const kept = []; ; ) kept.push(new Array(1_000_000).fill(0.5));
  },
  exit: async () => process.exit(3),
  big: async (event) => ({
    statusCode: 200,
    headers: {},
    body: '"'.repeat(Number(event.queryStringParameters.quotes)),
  }),
  env: async () => json(process.env),
  context: async (_, context) => json({ ...context, remaining: context.getRemainingTimeInMillis() }),
};

export const handler = async (event, context) => {
  calls += 1;
  return ACTIONS[event.queryStringParameters?.do ?? 'event'](event, context);
};

const json = (value) => ({ statusCode: 200, headers: {}, body: JSON.stringify(value) });
