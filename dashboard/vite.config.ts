import { fileURLToPath } from 'node:url'
import tailwindcss from '@tailwindcss/vite'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'
import { contracts } from '../src/features/contracts.ts'

/** Where HTTP finds each operation: taken from the contracts, without the schemas, which would triple what is loaded. */
const routes = Object.fromEntries(Object.entries(contracts).map(([name, { routes }]) => [name, routes]))

export default defineConfig({
  root: fileURLToPath(new URL('./', import.meta.url)),
  plugins: [react(), tailwindcss()],
  // The shim is for versions of React without this hook.
  resolve: {
    alias: { 'use-sync-external-store/shim/with-selector': 'use-sync-external-store/with-selector' },
  },
  define: { irisRoutes: JSON.stringify(routes) },
  build: {
    outDir: fileURLToPath(new URL('../dist/dashboard', import.meta.url)),
    emptyOutDir: true,
    // What is small is not put into the page: its policy lets nothing in that has no address of its own.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    rolldownOptions: {
      // The first view is one file: fewer round trips and headers, and its parts compress better together.
      output: { codeSplitting: { groups: [{ name: 'first', tags: ['$initial'] }] } },
    },
  },
})
