import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { IrisError } from '../../base/protocol/error.ts'

const linuxNeedsProc = 'Claude Code for Linux does not run without /proc, and this machine has none.'
const mountProc = 'Mount it: mount -t proc proc /proc. A container gets one from whoever starts it.'

/** Throws `spawn_failed` on Linux without /proc. Otherwise, Claude Code would say that the project does not exist. */
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
  "a caller is identified only by its token, so a process of an agent that gets hold of a token has the token's rights",
  'Iris neither finds nor ends processes that leave their process group, or that a killed daemon left behind. A claude left behind counts as a person’s: messages wait until it ends',
  'a process that gets the id of an ended process is mistaken for it',
  'the memory of processes is not measured',
  'Iris reaches directories by their paths: if an agent swaps one for a link while Iris works in it, the link can lead Iris elsewhere',
  'iris recognizes that it runs inside an agent only by its environment, which the agent can change',
] as const
