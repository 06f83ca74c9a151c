/** Folders of shared and which others each may import; all but client may also import lib. */
export const FOLDERS: Readonly<Record<string, readonly string[]>> = {
  lib: [],
  catalog: [],
  columns: ['catalog'],
  contract: ['catalog'],
  report: ['catalog', 'columns'],
  store: ['catalog', 'columns'],
  identity: ['store', 'catalog', 'columns'],
  http: ['identity', 'contract'],
  load: ['contract', 'catalog', 'columns', 'store'],
  ingest: ['load', 'catalog'],
  demo: ['catalog'],
  client: [],
  pages: ['http', 'contract', 'catalog'],
  files: ['client'],
  explorer: ['client', 'files', 'http'],
};

/**
 * The subfolders of a folder, and which other subfolders or files of it each may import; `.` stands for the files of the folder itself. Folders that are
 * not listed here have no subfolders with rules.
 */
export const SUBFOLDERS: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
  'shared/lib': {
    '.': [],
    sdk: ['.'],
  },
  'shared/catalog': {
    '.': [],
    describe: ['.'],
  },
  'shared/contract': {
    '.': [],
    resources: ['.'],
    report: ['.', 'resources'],
    openapi: ['.', 'resources', 'report'],
  },
  'shared/store': {
    table: [],
    commit: ['table'],
    listings: ['table', 'commit'],
    facts: ['table', 'commit'],
    cache: ['table', 'commit', 'facts'],
    '.': ['table', 'commit', 'listings', 'facts', 'cache'],
  },
  'shared/identity': {
    limits: ['key-record.ts', 'key-rights.ts'],
    '.': ['limits'],
  },
  'shared/http': {
    chain: ['api-request.ts', 'check-method.ts', 'error-response.ts', 'json-response.ts'],
    format: ['api-request.ts', 'json-response.ts'],
    '.': ['chain', 'format'],
  },
  'shared/load': {
    schema: [],
    source: ['schema'],
    code: ['schema', 'source'],
    check: ['schema', 'source', 'code'],
    write: ['schema', 'source', 'code', 'check', 'load-report.ts'],
    '.': ['schema', 'source', 'code', 'check', 'write'],
  },
  'shared/report': {
    plan: ['query.ts'],
    guard: ['plan', 'sums', 'query.ts'],
    sums: ['query.ts'],
    scan: ['plan', 'guard', 'sums', 'query.ts'],
    finish: ['plan', 'guard', 'scan', 'sums', 'query.ts'],
    market: ['plan', 'guard', 'scan', 'sums', 'query.ts'],
    '.': ['plan', 'guard', 'sums', 'scan', 'finish', 'market'],
  },
  'shared/explorer': {
    style: [],
    question: [],
    ui: [],
    app: ['question', 'form', 'result', 'data', 'ui'],
    form: ['question', 'ui', 'app'],
    chart: ['question', 'app'],
    table: ['question', 'ui', 'app'],
    result: ['question', 'chart', 'table', 'export', 'ui', 'app'],
    export: ['question', 'ui', 'app'],
    data: ['question', 'form', 'ui', 'app'],
    '.': ['app', 'style'],
  },
  'shared/demo': {
    data: [],
    simulate: ['data'],
    '.': ['data', 'simulate'],
  },
  infra: {
    '.': ['stack', 'cli'],
    stack: ['.'],
    emulator: ['.'],
    start: ['.', 'emulator'],
    cli: ['.', 'emulator', 'start'],
    operate: ['cli'],
    tools: ['.', 'cli', 'start'],
  },
  'infra/stack': {
    monitor: ['api-function.ts', 'bundle-handlers.ts'],
    '.': ['monitor'],
  },
  'infra/emulator': {
    template: [],
    gateway: ['template'],
    functions: ['template', 'gateway'],
    services: ['template'],
    '.': ['template', 'gateway', 'functions', 'services'],
  },
};
