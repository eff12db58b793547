import { stat } from 'node:fs/promises'
import type { TeamConfig } from '../config/config.ts'
import { IrisError } from '../protocol/error.ts'

/** Throws `team_directory_missing`. */
export async function mustHaveDirectory({ realPath }: TeamConfig, name: string): Promise<void> {
  const facts = await stat(realPath).catch(() => undefined)
  if (facts?.isDirectory()) return
  throw new IrisError(
    'team_directory_missing',
    `The directory of team "${name}" is gone: ${realPath}.`,
    'Put it back, or correct the path of the team in config.yaml.',
  )
}
