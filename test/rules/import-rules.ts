/** Folders of shared and which others each may import; all may also import lib. */
export const FOLDERS: Readonly<Record<string, readonly string[]>> = {
  lib: [],
  catalog: [],
  layout: ['catalog'],
  columns: ['catalog', 'layout'],
  contract: ['catalog'],
  report: ['catalog', 'layout', 'columns'],
  store: ['catalog', 'layout', 'columns'],
  identity: ['store', 'catalog', 'layout', 'columns'],
  http: ['identity', 'contract', 'catalog'],
  load: ['contract', 'catalog', 'layout', 'columns', 'store'],
  ingest: ['load', 'catalog'],
  web: ['http', 'contract', 'catalog'],
  mcp: ['web', 'http', 'contract', 'catalog'],
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
    changes: ['table', 'commit'],
    cache: ['table', 'commit', 'facts'],
    '.': ['table', 'commit', 'listings', 'facts', 'changes', 'cache'],
  },
  'shared/identity': {
    keys: [],
    '.': ['keys'],
  },
  'shared/http': {
    message: [],
    chain: ['message'],
    format: ['message'],
    '.': ['message', 'chain', 'format'],
  },
  'shared/load': {
    schema: [],
    source: ['schema'],
    listings: ['schema', 'source'],
    encode: ['schema', 'source'],
    check: ['schema', 'source', 'listings', 'encode'],
    write: ['schema', 'source', 'listings', 'encode', 'check'],
    '.': ['schema', 'source', 'listings', 'encode', 'check', 'write'],
  },
  'shared/report': {
    query: [],
    plan: ['query'],
    sums: ['query'],
    scan: ['query', 'plan', 'sums'],
    market: ['query', 'plan', 'sums', 'scan'],
    finish: ['query', 'plan', 'sums', 'scan'],
    pacing: ['query', 'plan', 'sums', 'scan', 'finish'],
    warnings: ['query', 'plan', 'sums', 'scan', 'market', 'finish', 'pacing'],
    '.': ['query', 'plan', 'sums', 'scan', 'market', 'finish', 'pacing', 'warnings'],
  },
  'shared/web': {
    client: [],
    pages: [],
    explorer: ['client'],
  },
  'shared/web/explorer': {
    style: [],
    question: [],
    ui: [],
    service: ['question'],
    form: ['question', 'ui', 'service'],
    chart: ['question', 'ui', 'service'],
    table: ['question', 'ui', 'service'],
    result: ['question', 'chart', 'table', 'export', 'ui', 'service'],
    export: ['question', 'ui', 'service'],
    data: ['question', 'form', 'ui', 'service'],
    app: ['question', 'form', 'result', 'data', 'ui', 'service'],
    '.': ['app', 'style'],
  },
  infra: {
    config: [],
    bundle: ['config'],
    stack: ['config'],
    local: ['config', 'bundle'],
    cli: ['config', 'bundle', 'local', '.'],
    '.': ['config', 'bundle', 'stack', 'cli'],
  },
  'infra/cli': {
    '.': [],
    tools: ['.'],
    operate: ['.'],
  },
  'infra/stack': {
    monitor: ['api-function.ts'],
    '.': ['monitor'],
  },
  'infra/local': {
    demo: [],
    emulator: [],
    '.': ['demo', 'emulator'],
  },
  'infra/local/demo': {
    data: [],
    '.': ['data'],
  },
  'infra/local/emulator': {
    services: [],
    gateway: ['services'],
  },
};
