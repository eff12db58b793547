import { isRecord } from '../../base/lib/is-record.ts'
import { IrisError } from '../../base/protocol/error.ts'
import { commandLine } from '../../claude/driver/command-line.ts'
import { irisInstructions } from '../../claude/driver/envelope.ts'
import type { Config, TeamConfig } from '../../platform/config/config.ts'
import { runsSkillCommands } from '../../platform/config/mode-with-role.ts'
import type { Command } from '../../platform/machine/child.ts'
import type { Isolated, Machines } from '../../platform/machine/machine.ts'
import { MachineError } from '../../platform/machine/machine-error.ts'
import { tagVariable } from '../../platform/machine/process-tag.ts'
import { agentOfThread } from '../session/agent-thread.ts'
import type { Seams } from '../session/seams.ts'
import type { Session } from '../session/session.ts'
import { roleOfSession } from '../session/session-role.ts'
import type { OwnLogin } from './own-login.ts'
import { type SettingsRules, settingsRules } from './settings-rules.ts'

/** The conversation for which a process is started. */
export type Started = Pick<Session, 'thread' | 'sessionId'> & { readonly row: Pick<Session['row'], 'model'> }

/** One start of a process. */
export interface Prepared extends Isolated {
  readonly resume: boolean
  readonly startId: string
  /**
   * The conversation's model, if a different model answered last. Without this, the CLI would continue with the model
   * that answered last.
   */
  readonly ownModel?: string | undefined
  /** The file for `--mcp-config`, if there is one. */
  readonly sessionMcp: string | undefined
  /** The value of `--settings`. */
  readonly settings?: Readonly<Record<string, unknown>>
  /** Version of the CLI, if known. */
  readonly version: string | undefined
  /** How the process gets its team's account. If undefined, it uses the login that Claude Code finds. */
  readonly login: OwnLogin | undefined
}

export interface LaunchCommandParts {
  readonly config: () => Config
  /** The tag that every process of this Iris has. Each start adds its own id. */
  readonly irisTag: string
  /**
   * The last part of every tag from this run of the daemon. The watchdog recognises the run's processes by this part.
   */
  readonly life: string
  readonly machines: Machines
  readonly seams: Pick<Seams, 'roles'>
}

export async function launchCommand(
  session: Started,
  team: TeamConfig,
  prepared: Prepared,
  { config, irisTag, life, machines, seams }: LaunchCommandParts,
): Promise<Command> {
  const { executable, env, resume, startId, sessionMcp, settings, version, login } = prepared
  const role = roleOfSession(session, config())
  const onlyTools = role === undefined || role.tools === 'all' ? undefined : role.tools
  const isNarrow = onlyTools !== undefined
  const agent = agentOfThread(session.thread)
  const isolation = await machines.of(team.name).isolation.for(prepared)
  return {
    executable,
    args: commandLine({
      sessionId: session.sessionId,
      resume,
      // An agent's own model applies, unless the asker named another model.
      model: session.row.model ?? (agent === undefined ? team.model : undefined) ?? prepared.ownModel,
      agent,
      allowedTools: isNarrow ? [] : (team.allowedTools ?? []),
      disallowedTools: team.disallowedTools ?? [],
      appendSystemPrompt: [
        irisInstructions,
        team.appendSystemPrompt ?? '',
        role === undefined ? '' : await seams.roles.instructions(role, machines.of(team.name).project),
      ]
        .filter(Boolean)
        .join('\n\n'),
      projectMcpServers: !isNarrow && team.mcpServers === 'project',
      sessionMcp,
      // For a remote team, questions go over the pipe, because a tunnel may fail.
      asksOverPipe: team.remote !== undefined,
      role: role && { onlyTools },
      settings: {
        ...joined(settings, login?.settings),
        // A process with a narrowed role loads no settings files, but their deny rules still apply.
        ...(isNarrow && { permissions: await rulesOfFiles(team, machines) }),
      },
      skillCommands: runsSkillCommands(role, team.grantPermission),
      version,
    }),
    cwd: team.realPath,
    session: session.sessionId,
    // A process with a narrowed role loads no settings files, so it gets none of their variables.
    env: { ...env, ...login?.env, ...(isNarrow ? {} : login?.handed), [tagVariable]: `${irisTag}.${startId}.${life}` },
    ...(isolation && { isolation }),
  }
}

async function rulesOfFiles(team: TeamConfig, machines: Machines): Promise<SettingsRules> {
  return settingsRules(machines.of(team.name), team.realPath).catch((error: unknown) => {
    if (!(error instanceof MachineError)) throw error
    const what = `Claude Code of team "${team.name}" was not started. What the settings files deny cannot be read: ${error.message}.`
    throw new IrisError('spawn_failed', what, 'Make the file readable, or remove it, then ask again.', { cause: error })
  })
}

type Settings = Readonly<Record<string, unknown>>

/** Merges two settings, including the `env` of each, because both may set environment variables. */
function joined(one: Settings = {}, other: Settings = {}): Settings {
  const env = { ...(isRecord(one['env']) && one['env']), ...(isRecord(other['env']) && other['env']) }
  return { ...one, ...other, ...(Object.keys(env).length > 0 && { env }) }
}
