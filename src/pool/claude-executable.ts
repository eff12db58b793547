import { createRequire } from 'node:module'
import { delimiter, dirname, join } from 'node:path'
import { IrisError } from '../protocol/error.ts'
import { findExecutable } from '../transport/local.ts'

/**
 * The `claude` to run: the configured one, else the first in PATH, else the one that came with this checkout. A
 * `node_modules/.bin` in PATH is some project's tools, and there the package's stub without its binary.
 */
export async function claudeExecutable(configured: string | undefined, path: string): Promise<string> {
  if (configured?.startsWith('/')) return configured
  const found =
    (await findExecutable(configured ?? 'claude', withoutProjectTools(path))) ??
    (configured === undefined ? bundled() : undefined)
  if (found !== undefined) return found
  throw new IrisError(
    'claude_not_found',
    `There is no "${configured ?? 'claude'}" in PATH.`,
    'Install Claude Code (npm install -g @anthropic-ai/claude-code) or set claudePath in config.yaml.',
  )
}

function withoutProjectTools(path: string): string {
  return path
    .split(delimiter)
    .filter((directory) => !directory.endsWith('/node_modules/.bin'))
    .join(delimiter)
}

/** The platform's own package: its binary runs without any install script. */
function bundled(): string | undefined {
  const require = createRequire(import.meta.url)
  const name = `@anthropic-ai/claude-code-${process.platform}-${process.arch}`
  try {
    return join(dirname(require.resolve(`${name}/package.json`)), 'claude')
  } catch {
    return undefined
  }
}
