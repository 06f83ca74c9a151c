const { openapi, key } = document.getElementById('docs').dataset;

const ui = window.SwaggerUIBundle({
  url: openapi,
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
