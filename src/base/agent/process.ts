import type { CutOff, Exit, StopManner } from '../lib/program-end.ts'
import type { Observable } from '../lib/subject.ts'
import type { ProcessState } from '../protocol/event.ts'
import type { PermissionLists } from './permission-lists.ts'
import type { Prompt, RunEnd, RunListener, Task } from './run.ts'
import type { EndedUnsolicitedTurn } from './unsolicited-turn.ts'

/**
 * A process of an agent that serves one conversation, as the kernel sees it: it takes one message at a time, and
 * reports its work in lines. It decides nothing about turns. Its requests go to its `ControlHandler`.
 */
export interface AgentProcess extends AtWork, Watched {
  readonly sessionId: string
  readonly pid: number
  /** Whether the process resumed a conversation. */
  readonly resumed: boolean
  /** Milliseconds since the epoch. */
  readonly startedAt: number
  /** Milliseconds from the start until the process could accept a message; 0 before that. */
  readonly readyMs: number
  readonly state: ProcessState
  readonly exited: Promise<Exit>
  /** Whether the process exited before Iris ended it. */
  readonly diedByItself: boolean
  readonly stderr: string
  /** The agents that it can run as; empty before it is ready. */
  readonly agents: readonly AgentFacts[]
  /** The turns that it began on its own. */
  readonly unsolicited$: Observable<EndedUnsolicitedTurn>
  /** Ids of other sessions in its lines, while no delivery runs. */
  readonly foreign$: Observable<string>
  /** The rules that Iris has handed to it. */
  readonly rules: ProcessRules
  readonly inquiries: ProcessInquiries
  /** How full the conversation was at the last model call, and how long the API caches its prompt, milliseconds. */
  readonly context: { readonly share: ContextShare | undefined; readonly cacheMs: number }
  /** Sends a message under this uuid. Throws if a message is already running. */
  run(uuid: string, prompt: Prompt, listener: RunListener): Promise<RunEnd>
  /**
   * Adds a message to the running one after `commit`. Resolves to false if the process has not begun the running
   * message.
   */
  steer(uuid: string, text: string, commit: () => void): boolean
  /**
   * Continues with a message from an earlier Iris and the messages that joined it. Reads all output since then; throws
   * like `run`.
   */
  continueRun(uuid: string, joined: readonly string[], listener: RunListener): Promise<RunEnd>
  /** Stops the running turn and the background tasks that it waits for; its result follows. */
  interrupt(timeoutMs: number): Promise<void>
  /** Withdraws the running message, unless the process has begun it. Resolves to true if it was withdrawn. */
  withdraw(uuid: string, timeoutMs: number): Promise<boolean>
  /** Ends the process and everything it started. By default, closes stdin only if the process is quiet. */
  stop(manner?: StopManner): Promise<Exit>
}

/** What a process is busy with. */
interface AtWork {
  /** Nothing runs in the foreground or the background, so the process can be ended without loss. */
  readonly isQuiet: boolean
  /** Nothing runs and nothing is about to begin, so the next turn will be the next message's. */
  readonly isAlone: boolean
  /** Nothing remains of the last message: no background task, and no message that joined it. */
  readonly isAtRest: boolean
  /** `turnEnd` settles when the open turn ends; undefined if no turn is open. */
  readonly activity: { readonly turnEnd: Promise<void> | undefined }
  /** `names`: the hooks that have started and not ended. */
  readonly hooks: { readonly names: readonly string[] }
  /** Background tasks that have not reported yet. */
  readonly answeringTasks: readonly Task[]
  /** After the exit: the background commands that ended with the process. */
  readonly commandsLeft: readonly Task[]
}

/** Facts that distinguish a silent process from a hung one. */
interface Watched {
  readonly toolsRunning: readonly string[]
  /** Requests that wait for a person or a tool of Iris. While there are any, the process does not count as silent. */
  readonly openQuestions: number
  /** The link to its machine. While it is cut off, the state of the process is unknown: its silence proves nothing. */
  readonly link: {
    readonly cutOff?: CutOff | undefined
    /** Emits the current state first, then each change. Absent if the process runs on this machine. */
    readonly cutOff$?: Observable<CutOff | undefined>
  }
  /** Whether the process responds, which it does even while a tool runs. True if its host is unreachable. */
  probe(timeoutMs: number): Promise<boolean>
}

/** Each handover replaces all rules of the previous one. */
export interface ProcessRules {
  /** Whether the process did not accept a change. It may then still allow tools that no rule allows any more. */
  readonly isStale: boolean
  /** The lists of the last handover, without the allow rules. */
  readonly strictest: PermissionLists
  /** Resolves with an error text if the process refuses the lists. */
  hand(lists: PermissionLists): Promise<string | undefined>
}

/** Requests to a process other than messages. */
export interface ProcessInquiries {
  /** How full the conversation is by the process's own count; undefined if it does not answer in time. */
  contextUsage(timeoutMs: number): Promise<ContextShare | undefined>
  /** The MCP servers that its command line and files configure. Rejects if it does not answer. */
  mcpServers(timeoutMs: number): Promise<readonly Readonly<Record<string, unknown>>[]>
}

/** An agent that Claude Code can run as: the project's, the user's or a built-in one. */
export interface AgentFacts {
  readonly name: string
  readonly description: string
  /** The agent's own model. Undefined for Claude Code's default. */
  readonly model: string | undefined
}

/** How full a conversation is: its size and the model's context window, both in tokens. */
export interface ContextShare {
  readonly tokens: number
  readonly window: number
}
