import { commandLine } from '../../claude/driver/command-line.ts'
import { irisInstructions } from '../../claude/driver/envelope.ts'
import type { Config, TeamConfig } from '../../platform/config/config.ts'
import type { Command } from '../../platform/machine/child.ts'
import type { Isolated, Machines } from '../../platform/machine/machine.ts'
import { tagVariable } from '../../platform/machine/process-tag.ts'
import { agentOfThread } from '../session/agent-thread.ts'
import type { Session } from '../session/session.ts'
import { roleInstructions, roleOfSession } from './session-role.ts'

/** The conversation that a process is started for. */
export type Started = Pick<Session, 'thread' | 'sessionId'> & { readonly row: Pick<Session['row'], 'model'> }

/** One start of a process. */
export interface Prepared extends Isolated {
  readonly resume: boolean
  readonly startId: string
  /** The file for `--mcp-config`, where there is one. */
  readonly sessionMcp: string | undefined
  /** Of the CLI, when it is known. */
  readonly version: string | undefined
}

export interface LaunchCommandParts {
  readonly config: () => Config
  /** ProcessTags every process of this Iris; each start adds an id of its own. */
  readonly irisTag: string
  /** On those of this life of the daemon, and on no others: by it its watchdog knows them. */
  readonly life: string
  readonly machines: Machines
}

export async function launchCommand(
  session: Started,
  team: TeamConfig,
  prepared: Prepared,
  { config, irisTag, life, machines }: LaunchCommandParts,
): Promise<Command> {
  const { executable, env, resume, startId, sessionMcp, version } = prepared
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
      // An agent's own model holds, unless whoever invoked it asked for another.
      model: session.row.model ?? (agent === undefined ? team.model : undefined),
      agent,
      allowedTools: isNarrow ? [] : (team.allowedTools ?? []),
      disallowedTools: team.disallowedTools ?? [],
      appendSystemPrompt: [
        irisInstructions,
        team.appendSystemPrompt ?? '',
        role === undefined ? '' : await roleInstructions(role, machines.of(team.name).project),
      ]
        .filter(Boolean)
        .join('\n\n'),
      projectMcpServers: !isNarrow && team.mcpServers === 'project',
      sessionMcp,
      // A tunnel may fail; the pipe does not.
      asksOverPipe: team.remote !== undefined,
      role: role && { onlyTools, version },
    }),
    cwd: team.realPath,
    session: session.sessionId,
    env: { ...env, [tagVariable]: `${irisTag}.${startId}.${life}` },
    ...(isolation && { isolation }),
  }
}
