import { isRecord } from '../../base/lib/is-record.ts'
import { IrisError } from '../../base/protocol/error.ts'
import { noProxyHere, noProxyNames, reachesHere } from '../../claude/driver/environment.ts'
import { managedTexts } from '../../claude/driver/managed-settings.ts'
import { telemetryPlaces } from '../../claude/driver/telemetry-environment.ts'
import type { Machine } from '../../platform/machine/machine.ts'

/** A longer file is not a settings file. */
const maxBytes = 1024 * 1024

const unread = { kind: 'unusable' } as const

/** In order of precedence, lowest first. */
const inProject = ['.claude/settings.json', '.claude/settings.local.json']

/**
 * Settings for `--settings` with which a process sends its tokens to this machine without a proxy. The process's
 * environment has the same variables, but a settings file could override them, now or later. If such a file has a host
 * list, the settings contain its hosts too. `telemetry`: the variables of the process's telemetry, if it sends
 * telemetry to Iris. Throws `spawn_failed` if a host list in managed settings, which take precedence over all others,
 * lacks this machine.
 */
export async function noProxySettings(
  { project, claude }: Pick<Machine, 'project' | 'claude'>,
  { team, env }: { readonly team: string; readonly env: Readonly<Record<string, string>> },
  telemetry?: Readonly<Record<string, string>>,
  managed: () => readonly string[] = managedTexts,
): Promise<{ readonly env: Readonly<Record<string, string>> }> {
  const names = [claude.path(['settings.json']), ...inProject]
  const read = (name: string) => project.readText(name, { mostBytes: maxBytes, anywhere: true }).catch(() => unread)
  const found = await Promise.all(names.map(read))
  if (managed().some((text) => isWithoutHere(listsIn(text)))) throw managedRefusal(team)
  // Claude Code may be able to read files that Iris cannot.
  const texts = found.flatMap((file) => (file.kind === 'absent' ? [] : [file.kind === 'text' ? file.text : undefined]))
  const lists = texts.flatMap((text) => (text === undefined ? [{}] : listsIn(text)))
  return { env: { ...noProxyHere([env, ...lists]), ...(telemetry && telemetryPlaces(telemetry)) } }
}

type Lists = Readonly<Record<string, string | undefined>>

/** The host lists in a file's `env`, if it has any. Claude Code ignores a file that is not JSON. */
function listsIn(text: string): readonly Lists[] {
  let env: unknown
  try {
    const settings: unknown = JSON.parse(text)
    env = isRecord(settings) ? settings['env'] : undefined
  } catch {
    return []
  }
  if (!isRecord(env)) return []
  const lists = noProxyNames.flatMap((name) => (typeof env[name] === 'string' ? [[name, env[name]] as const] : []))
  return lists.length === 0 ? [] : [Object.fromEntries(lists)]
}

function isWithoutHere(lists: readonly Lists[]): boolean {
  return lists.some((list) => Object.values(list).some((value) => value !== undefined && !reachesHere(value)))
}

function managedRefusal(team: string): IrisError {
  return new IrisError(
    'spawn_failed',
    `Claude Code of team "${team}" was not started: the managed settings have a NO_PROXY without 127.0.0.1, so a proxy could read the token of its session endpoint.`,
    'Have the administrator of this machine add 127.0.0.1 to that list, or set sessionMcpEnabled and claudeTelemetry to false.',
  )
}
