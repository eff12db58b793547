import { IrisError } from '../../base/protocol/error.ts'
import type { TeamConfig } from '../../platform/config/config.ts'
import type { Machines } from '../../platform/machine/machine.ts'

/** Throws `team_directory_missing`. */
export async function mustHaveDirectory(
  { realPath, remote }: TeamConfig,
  name: string,
  machines: Machines,
): Promise<void> {
  if (await machines.of(name).project.exists()) return
  throw new IrisError(
    'team_directory_missing',
    `The directory of team "${name}" ${remote === undefined ? 'is gone' : `is not there (${remote})`}: ${realPath}.`,
    'Put it back, or correct the path of the team in config.yaml.',
  )
}
