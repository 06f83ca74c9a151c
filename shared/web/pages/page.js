const { openapi, key } = document.getElementById('docs').dataset;

/**
 * @returns the document without the key in the query: Swagger UI would put a key into URLs, which browsers keep and servers log. Requests go to the page's own host,
 * which a proxy may have changed.
 */
async function readDocument() {
  const response = await fetch(openapi);
  const { components, security, ...rest } = await response.json();
  const { apiKeyQuery: _, ...securitySchemes } = components.securitySchemes;
  const offered = security.filter((schemes) => !('apiKeyQuery' in schemes));
  const servers = [{ url: location.pathname.replace(/\/docs$/, '') }];
  return { ...rest, servers, security: offered, components: { ...components, securitySchemes } };
}

/** Where the document cannot be read, Swagger UI shows why. */
const source = readDocument().then(
  (spec) => ({ spec }),
  () => ({ url: openapi }),
);

source.then((document) => {
  const ui = window.SwaggerUIBundle({
    ...document,
    dom_id: '#docs',
    deepLinking: true,
    displayRequestDuration: true,
    tryItOutEnabled: true,
    defaultModelsExpandDepth: 0,
    docExpansion: 'list',
    validatorUrl: null, // the default would send the document to a public service
    onComplete: () => {
      if (key) ui.preauthorizeApiKey('apiKeyHeader', key);
    },
  });
});
