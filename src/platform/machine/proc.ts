import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { IrisError } from '../../base/protocol/error.ts'

const linuxNeedsProc = 'Claude Code for Linux does not run without /proc, and this machine has none.'
const mountProc = 'Mount it: mount -t proc proc /proc. A container gets one from whoever starts it.'

/** Throws `spawn_failed`: Claude Code itself would say that the project does not exist. */
export function refuseLinuxWithoutProc(root?: string, platform: NodeJS.Platform = process.platform): void {
  if (platform === 'linux' && missingWithoutProc(root).length > 0)
    throw new IrisError('spawn_failed', linuxNeedsProc, mountProc)
}

/**
 * The things that Iris cannot do reliably, or at all, without /proc (on macOS, and in some containers); empty with
 * /proc.
 */
export function missingWithoutProc(root = '/proc'): readonly string[] {
  return existsSync(join(root, 'self/stat')) ? [] : missing
}

const missing = [
  'a caller is known by its token alone: a process of an agent that gets hold of a token has the rights of that token',
  'processes that leave their process group, or that a killed daemon left, are neither found nor ended. A claude that was left counts as a person’s: messages wait until it ends',
  'another process that has got the number of a process that ended counts as that one',
  'the memory that processes take is not measured',
  'directories are reached by their paths: one that an agent swaps for a link while Iris works in it can lead Iris elsewhere',
  'iris inside an agent is known by its environment alone, which the agent can change',
] as const
