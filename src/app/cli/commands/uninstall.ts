import { IrisError } from '../../../base/protocol/error.ts'
import { irisHome } from '../../../platform/config/home.ts'
import { daemonLine, workLines } from '../../../views/health/commands/status.ts'
import { call } from '../call.ts'
import type { CommandContext } from '../context.ts'
import { counted } from '../counted.ts'
import { interrupted } from '../exit-code.ts'
import { commandInShells } from '../install/own-command.ts'
import { checkHome } from '../install/purge.ts'
import { refuseAgents } from '../install/refuse-agents.ts'
import type { Told } from '../install/restore-file.ts'
import { undoInstall } from '../install/undo-install.ts'
import { isChosen } from '../prompt.ts'
import { daemonIfAny } from '../running-daemon.ts'
import type { Given } from '../table/spec.ts'

interface UninstallOptions {
  readonly purge?: boolean
  readonly dryRun?: boolean
  readonly yes?: boolean
}

/** Undoes what was installed outside of Iris's home, stops the daemon, and removes the home on request. */
export async function uninstall({ context, env, options, json }: Given): Promise<number> {
  await refuseAgents(context, 'uninstall it')
  const { purge: purges = false, dryRun = false, yes = false } = options as UninstallOptions
  const home = irisHome(env)
  if (purges) checkHome(home)
  const works = await sayWhatRuns(context, json)
  if (!dryRun && !yes && !(await isAgreed(context, { home, works, purges, json }))) {
    context.note('Nothing was changed.')
    return interrupted
  }
  const undone: Told[] = []
  for await (const each of undoInstall(env, { dryRun, purges, command: commandInShells(context) })) {
    undone.push(each)
    if (!json) context.say(each.text)
  }
  const left = undone.filter(({ isLeft }) => isLeft)
  if (json)
    context.sayJson({ dryRun, done: undone.filter(({ isLeft }) => !isLeft).map(textOf), left: left.map(textOf) })
  else if (undone.length === 0) context.say('Iris is not installed: there is nothing to undo.')
  return left.length > 0 ? 1 : 0
}

const textOf = ({ text }: Told): string => text

/**
 * Prints what is running; resolves with the number of busy conversations. Throws `daemon_unreachable` if a daemon
 * hangs.
 */
async function sayWhatRuns(context: CommandContext, json: boolean): Promise<number> {
  const home = irisHome(context.env)
  const daemon = await daemonIfAny(home)
  if (daemon === undefined) return 0
  // A store that fails must not prevent uninstalling.
  const status = await call(context, 'team_status', {}).catch(() => undefined)
  const lines = status === undefined ? [] : workLines(status)
  if (!json) for (const line of [daemonLine(daemon), ...lines]) context.say(line)
  return lines.length
}

interface Asked {
  readonly home: string
  readonly works: number
  readonly purges: boolean
  readonly json: boolean
}

async function isAgreed(context: CommandContext, { home, works, purges, json }: Asked): Promise<boolean> {
  const asks = context.isInteractive && !json
  if (purges) {
    const what = `--purge permanently removes ${home}: the configuration, all conversations and all waiting messages.`
    if (!asks) throw new IrisError('invalid_input', what, 'Add --yes to confirm.')
    return isChosen(context, `${what} Continue?`)
  }
  if (works === 0) return true
  const what = `${counted(works, 'conversation')} still ${works === 1 ? 'has' : 'have'} unfinished work.`
  if (!asks)
    throw new IrisError('process_busy', what, 'Add --yes to confirm. The work continues when Iris starts again.')
  return isChosen(context, `${what} It continues when Iris starts again. Stop Iris now?`)
}
