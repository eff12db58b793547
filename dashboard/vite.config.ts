import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import tailwindcss from '@tailwindcss/vite'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'
import { contracts } from '../src/features/contracts.ts'

const source = fileURLToPath(new URL('./src/', import.meta.url))
const files = readdirSync(source, { recursive: true, encoding: 'utf8' }).filter((path) => /\.tsx?$/.test(path))
const text = files.map((path) => readFileSync(join(source, path), 'utf8')).join('\n')

/**
 * Where HTTP finds each operation that the page names: taken from the contracts, without the schemas, which would triple
 * what is loaded. A name that the page has not used before needs a new start of the development server.
 */
const routes = Object.fromEntries(
  Object.entries(contracts)
    .filter(([name]) => text.includes(`'${name}'`))
    .map(([name, { routes }]) => [name, routes]),
)

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
      output: {
        codeSplitting: {
          groups: [
            // The first view is one file: fewer round trips and headers, and its parts compress better together.
            { name: 'first', tags: ['$initial'] },
            // Whatever a person opens from the first view is one file too: the first view has to name each file.
            { name: 'opened', test: /\/opened\/|notify-need|quiet-hours|enter-setting/ },
          ],
        },
      },
    },
  },
})
