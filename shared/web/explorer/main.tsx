import './style/tokens.css';
import './style/controls.css';
import './style/layout.css';
import './style/form.css';
import './style/table.css';
import './style/result.css';
import './style/data.css';
import './style/print.css';
import { render } from 'preact';
import { App } from './app/app.tsx';

const root = document.getElementById('app');
if (root !== null) render(<App settings={readSettings(root.dataset)} />, root);

function readSettings({ timeZone = 'UTC', brand = '{}', demoKeys = '' }: DOMStringMap) {
  const base = new URL('.', location.href).href.replace(/\/$/, '');
  const entries = demoKeys.split(',').filter((entry) => entry !== '');
  return { base, timeZone, brand: JSON.parse(brand), demoKeys: entries.map((entry) => entry.split('=')) };
}
