import type {
  PermissionAnswer,
  PermissionQuestion,
  RanTool,
  ToolRefusal,
  ToolStart,
} from '../../base/agent/control-handler.ts'
import type { PermissionLists } from '../../base/agent/permission-lists.ts'
import type { Session } from './session.ts'

/** The session, turn and chain for which a process asks a person about a tool. */
export interface ToolAsker {
  readonly session: Session
  /** The id of the process start that asks. */
  readonly processStart: string
  /** The running turn, if there is one. */
  readonly turn: { readonly id: string; readonly cancelled: AbortSignal } | undefined
  /** The teams from the first asker to the answering team. */
  readonly chain: readonly string[]
}

/** Decides which tools of a process may run. If a method throws, the tool is refused. */
export interface ToolRules {
  /** The rules that Iris hands to the process at its start and whenever they change. */
  readonly listsFor: (session: Session) => PermissionLists
  /**
   * Must be called before the other methods. Returns undefined if there is nothing to look up about the tool. Otherwise
   * resolves to the reason why the tool may not run, or to undefined if it may.
   */
  readonly look: (session: Session, start: ToolStart) => Promise<ToolRefusal> | undefined
  /** The reason why the tool may not run, whatever a person's own settings allow. Undefined if it may. */
  readonly refusal: (session: Session, tool: RanTool | PermissionQuestion) => ToolRefusal
  /** The reason why the role or a rule denies the tool, whatever the mode. Undefined if none does. */
  readonly denial: (session: Session, tool: RanTool) => ToolRefusal
  /** The answer to Claude Code's question about a tool, by the team's mode. */
  readonly evaluate: (
    session: Session,
    question: PermissionQuestion,
  ) => { readonly decision: 'allow' | 'deny' | 'ask' | 'forward'; readonly why: string }
  /** Asks a person, and waits; never rejects. `signal` aborts when Claude Code withdraws the question. */
  readonly ask: (
    asker: ToolAsker,
    mode: 'ask' | 'forward',
    question: PermissionQuestion,
    signal: AbortSignal,
    isRepeated?: boolean,
  ) => Promise<PermissionAnswer>
  /** Call this when a process of the session starts. Questions of an earlier process can then no longer be answered. */
  readonly processStarts: (session: Session, startId: string) => void
}

/** Detects agents that are about to change the same file. */
export interface ToolCollisions {
  /** The reason why the tool may not run. Undefined if it may. */
  readonly beforeTool: (session: Session, start: ToolStart) => ToolRefusal
  /** Whether a person must be asked about the tool, whatever rule allows it. */
  readonly isAsked: (toolUseId: string) => boolean
  /** The question for the person; `allowed` is called if the tool may run. */
  readonly question: (toolUseId: string) => { readonly why: string; readonly allowed: () => void } | undefined
  /** A note for the agent, added to its tool's result. */
  readonly noteFor: (session: Session) => string | undefined
}

const noRules = 'This Iris runs without its feature "permission", so no tool may run.'

/** Without rules, no tool may run. */
export const withoutRules: ToolRules = {
  listsFor: () => ({ allow: [], ask: [], deny: [], skillCommands: false }),
  look: () => undefined,
  refusal: () => noRules,
  denial: () => noRules,
  evaluate: () => ({ decision: 'deny', why: noRules }),
  ask: async () => ({ behavior: 'deny', message: noRules }),
  processStarts: () => {},
}

export const withoutCollisions: ToolCollisions = {
  beforeTool: () => undefined,
  isAsked: () => false,
  question: () => undefined,
  noteFor: () => undefined,
}
