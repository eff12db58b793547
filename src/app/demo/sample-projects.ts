import { randomInt } from 'node:crypto'
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

export interface SampleProjects {
  /** Absolute path. */
  readonly frontend: string
  readonly backend: string
  /** Random, and only in one file of `backend`: an answer that names it shows that the file was read. */
  readonly port: number
}

/** Two small projects: a shop's page that needs something from its API, and the API. */
export function writeSampleProjects(root: string): SampleProjects {
  const port = randomInt(20_000, 60_000)
  const projects = { frontend: join(root, 'projects/frontend'), backend: join(root, 'projects/backend'), port }
  for (const [path, text] of Object.entries(files(port))) {
    const file = join(root, 'projects', path)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, text)
  }
  return projects
}

/** The file that contains the answers; the path is relative to `backend`. */
export const apiFile = 'src/api.ts'

function files(port: number): Record<string, string> {
  return {
    'frontend/CLAUDE.md': `# frontend

The shop's pages. The orders come from the API of the project \`backend\`: ask it rather than guess.
`,
    'frontend/src/checkout.ts': `export async function placeOrder(items: readonly string[]): Promise<void> {
  // TODO: which port, which call? \`backend\` knows.
}
`,
    'backend/CLAUDE.md': `# backend

The shop's API. Its port and its endpoints are declared in \`${apiFile}\`; that file is right, memory is not.
`,
    [`backend/${apiFile}`]: `/** The orders API of the sample shop. */
export const port = ${port}

export const endpoints = [
  { method: 'GET', path: '/orders', does: 'lists the orders, the newest first' },
  { method: 'POST', path: '/orders', does: 'creates an order and answers 201 with its id' },
  { method: 'GET', path: '/orders/:id', does: 'returns one order' },
]
`,
  }
}
