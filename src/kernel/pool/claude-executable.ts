import { delimiter } from 'node:path'
import { isOfProject, skippedText } from '../../base/lib/project-tools.ts'
import { IrisError } from '../../base/protocol/error.ts'
import type { TeamConfig } from '../../platform/config/config.ts'
import { findExecutable } from '../../platform/machine/find-executable.ts'
import type { System } from '../../platform/machine/machine.ts'

/**
 * Returns the `claude` to run: the configured one, otherwise the first in PATH. Skips each `node_modules/.bin` in PATH:
 * such a directory contains a project's tools, and may have the stub of the `claude` package without its binary. In an
 * Iris checkout, that `claude` is for Iris's tests, and nobody is logged in there. Throws `claude_not_found`.
 */
export async function claudeExecutable(
  configured: string | undefined,
  path: string,
  machine: Pick<System, 'findExecutable'> = { findExecutable },
): Promise<string> {
  const found = await machine.findExecutable(configured ?? 'claude', withoutProjectTools(path))
  if (found !== undefined) return found
  if (configured?.startsWith('/')) throw noProgramAt(configured)
  const skipped = await machine.findExecutable(configured ?? 'claude', projectTools(path))
  throw new IrisError(
    'claude_not_found',
    `The command "${configured ?? 'claude'}" was not found in PATH.${skippedText(skipped)}`,
    'Install Claude Code (npm install -g @anthropic-ai/claude-code) or set claudePath in config.yaml.',
  )
}

/** Returns the `claude` on another machine. `settings.claudePath` does not apply there. Throws `claude_not_found`. */
export async function remoteClaude(
  { name, remote, claudePath = 'claude' }: Pick<TeamConfig, 'name' | 'remote' | 'claudePath'>,
  machine: Pick<System, 'findExecutable'>,
): Promise<string> {
  const found = await machine.findExecutable(claudePath, '')
  if (found !== undefined) return found
  throw new IrisError(
    'claude_not_found',
    `There is no "${claudePath}" on the machine of team "${name}" (${remote}).`,
    `Install Claude Code there (npm install -g @anthropic-ai/claude-code), or set the team's claudePath to its path there.`,
  )
}

function noProgramAt(path: string): IrisError {
  return new IrisError(
    'claude_not_found',
    `There is no program at ${path}.`,
    'Correct claudePath in config.yaml, or remove it so that Iris looks for claude in PATH.',
  )
}

function projectTools(path: string): string {
  return path.split(delimiter).filter(isOfProject).join(delimiter)
}

function withoutProjectTools(path: string): string {
  return path
    .split(delimiter)
    .filter((directory) => !isOfProject(directory))
    .join(delimiter)
}
