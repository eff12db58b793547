import { lookAtDaemon } from '../../../app/cli/commands/stop.ts'
import type { CommandContext } from '../../../app/cli/context.ts'
import { refuseHidden } from '../../../app/cli/inside-agent.ts'
import type { Given } from '../../../app/cli/table/spec.ts'
import { IrisError } from '../../../base/protocol/error.ts'
import type { Config } from '../../../platform/config/config.ts'
import { readConfigText } from '../../../platform/config/config-text.ts'
import { doubtsOf } from '../../../platform/config/doubts.ts'
import { homePaths, irisHome } from '../../../platform/config/home.ts'
import { loadConfig } from '../../../platform/config/load.ts'
import { masked } from '../../../platform/config/masked-text.ts'
import { ConfigError, ProblemList } from '../../../platform/config/problem.ts'

/** Prints config.yaml as written, with a placeholder for each secret. */
export async function showConfig({ context, env, json }: Given): Promise<void> {
  refuseHidden(env, irisHome(env))
  const { config: file } = homePaths(irisHome(env))
  const problems = new ProblemList(file)
  const text = await readConfigText(file, undefined, problems)
  if (text === undefined) throw new ConfigError(problems.inFileOrder())
  const shown = await masked(text ?? '')
  if (shown === undefined) {
    const what = `${file} is not valid YAML, so Iris cannot hide its secrets.`
    throw new IrisError('config_invalid', what, 'Run "iris config validate" to see what is wrong.')
  }
  if (json) return context.sayJson({ file, text: shown })
  if (shown === '') context.say(`There is no ${file} yet: "iris add-team <path>" creates it.`)
  else context.sayAsWritten(shown.trimEnd())
}

/** Checks config.yaml. Throws `config_invalid` with every mistake. */
export async function validateConfig({ context, env, json }: Given): Promise<void> {
  refuseHidden(env, irisHome(env))
  const home = irisHome(env)
  const { config: file } = homePaths(home)
  const text = await readConfigText(file, undefined, new ProblemList(file))
  // Without the file, all teams of the running Iris would be gone at the next start.
  const { teams } = text?.trim() === '' || text === null ? await lookAtDaemon(context, home) : { teams: [] }
  const config = await loadConfig({ home, env, mustExist: teams.length > 0 }).catch((error: unknown) => {
    if (!(error instanceof IrisError) || teams.length === 0) throw error
    const inUse = `The running Iris still uses the teams ${teams.join(', ')}.`
    throw new IrisError(error.code, error.message, `${error.remedy}\n${inUse}`, { cause: error })
  })
  if (text !== null) sayValid(context, config, json)
  else if (json) context.sayJson({ valid: true, file, exists: false, teams: [] })
  else context.say(`There is no ${file}. Iris works without it, with the defaults and no teams.`)
  context.aside('"iris doctor" also checks the files and programs that it names.')
}

export function sayValid(context: CommandContext, config: Config, json: boolean): void {
  sayDoubts(context, config)
  if (json) context.sayJson({ valid: true, file: config.file, teams: [...config.teams.keys()] })
  else context.say(`${config.file} is in order: ${teamsText(config)}.`)
}

/** Prints on stderr, as each command that writes or checks the file does. */
export function sayDoubts(context: CommandContext, config: Config): void {
  for (const { what, remedy } of config.unusable) context.note(`Note: ${what} ${remedy}`)
  for (const { text, remedy } of doubtsOf(config)) context.note(`Note: ${text}. If you mean seconds: ${remedy}`)
}

function teamsText({ teams }: Config): string {
  return teams.size === 0 ? 'no teams yet' : `teams ${[...teams.keys()].join(', ')}`
}
