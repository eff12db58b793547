/** One behaviour that Iris relies on: what it expects of Claude Code, and what does not work without it. */
export interface Clause {
  readonly expects: string
  readonly breaks: string
}

/** The contract. `docs/guide/doctor.md` lists it, scenes test it, test/pins states it more exactly for two versions. */
export const clauses = {
  'start.ready': {
    expects: 'knows the options that Iris passes, and answers `initialize` without a model call',
    breaks: 'no process ever becomes ready, so no team can be asked',
  },
  'start.prompt': {
    expects: 'gives the model the text of --append-system-prompt',
    breaks: 'agents do not know that other teams ask them',
  },
  'tools.pipe': {
    expects: 'offers the tools of the pipe to the model at once, and calls them with the id of the tool use',
    breaks: 'agents cannot ask other teams',
  },
  'tools.fence': {
    expects: 'asks the PreToolUse hook before every tool, with its name, input and id, and waits',
    breaks: 'after a crash it is unknown which tools had started; deny rules do not apply',
  },
  'tools.ran': {
    expects: 'reports after each tool which input it ran with',
    breaks: "a turn's list of tools shows the input Iris was asked about, not the input after a hook changed it",
  },
  'tools.closed': {
    expects: 'does not offer the model the tools that Iris disables, such as its inbox and its timers',
    breaks: 'agents start turns that nobody asked for, or change a conversation for the next message',
  },
  'message.echo': {
    expects: 'echoes a message under its uuid, before the result',
    breaks: 'answers cannot be distinguished from turns that the CLI began on its own',
  },
  'message.result': {
    expects: 'ends a turn with a result: the answer, is_error, usage, the window of the model, the cost',
    breaks: 'answers, tokens and cost are missing, and compaction comes at the wrong time',
  },
  'message.session': {
    expects: 'names the session in its lines, and no other',
    breaks: "the process is mistaken for a different session's and ended",
  },
  'message.partial': {
    expects: 'prints the text while the model is still writing',
    breaks: 'answers appear only when they are complete',
  },
  'message.once': {
    expects: 'echoes a message whose uuid is in the transcript, and does not run it again',
    breaks: 'a message that is sent again after a crash is executed twice',
  },
  'message.inert': {
    expects: 'treats @path and a wrapped /command as text',
    breaks: "an asker can have files read into the team's conversation",
  },
  'message.failure': {
    expects: 'ends a turn whose API call failed with is_error, and continues to work',
    breaks: 'failures are mistaken for answers',
  },
  'session.file': {
    expects: 'writes <config directory>/projects/*/<session id>.jsonl, with the uuid of the message and its end_turn',
    breaks: 'conversations are lost at the next start of a process, and crashes cannot be judged',
  },
  'session.taken': {
    expects: 'refuses to create a session whose transcript exists: exit 1, "already in use"',
    breaks: 'a conversation could be started twice under one id',
  },
  'session.unknown': {
    expects: 'refuses to resume an unknown session: exit 1, "No conversation found"',
    breaks: 'a lost conversation is not noticed',
  },
  'session.resume': {
    expects: 'resumes a conversation after a kill, with its whole history',
    breaks: 'teams forget their conversations whenever their process ends',
  },
  'session.copy': {
    expects: 'resumes a copy of a transcript under another id',
    breaks: 'forks and restored conversations do not work',
  },
  'session.kept': {
    expects: 'keeps old transcripts if --settings says so',
    breaks: 'conversations not used for 30 days are deleted',
  },
  'session.registry': {
    expects: 'records in <config directory>/sessions/<pid>.json which session a running process has',
    breaks: 'Iris does not notice that a person has the conversation open',
  },
  'permission.question': {
    expects: 'asks over the pipe whether a tool may run, and runs it if allowed',
    breaks: 'agents can do nothing that needs permission, or everything without it',
  },
  'permission.denial': {
    expects: 'does not run a tool that was denied, and tells the model why',
    breaks: 'tools run even if a person denied them',
  },
  'permission.rule': {
    expects: 'does not run a tool that the hook denied, and asks nobody',
    breaks: 'deny rules and grantPermission: no do not apply',
  },
  'permission.handed': {
    expects: 'applies the rules of apply_flag_settings from the next tool on, until a list no longer has them',
    breaks: 'allow rules do not apply, or still apply after they were withdrawn',
  },
  'permission.refused': {
    expects: 'refuses what the deny rules of apply_flag_settings name, without asking, until a list no longer has them',
    breaks: "whatever runs without a hook, such as a command in a skill's text, bypasses deny rules",
  },
  'permission.asked': {
    expects: 'asks if the hook says so, even if a rule allows the tool',
    breaks: 'a process that keeps a rule continues to use it',
  },
  'permission.http': {
    expects: 'asks the tool that --permission-prompt-tool names, over HTTP with the headers of --mcp-config',
    breaks: 'with sessionMcpEnabled, agents can do nothing that needs permission',
  },
  'control.alive': {
    expects: 'answers get_context_usage, with its figures, while a tool runs',
    breaks: 'long work is mistaken for a hang, and compaction comes at the wrong time',
  },
  'control.interrupt': {
    expects: 'ends the turn when it is interrupted, as an error, and answers the next message',
    breaks: 'messages cannot be cancelled',
  },
  'control.withdraw': {
    expects: 'withdraws a message that it has not started (cancel_async_message)',
    breaks: 'a message that is cancelled early is still executed',
  },
  'control.servers': {
    expects: 'reports in mcp_status the address and headers of an MCP server, and that it is connected',
    breaks: 'with sessionMcpEnabled, no process ever becomes ready',
  },
  'turns.unsolicited': {
    expects: 'marks the result of a turn that it began on its own with an origin, and echoes no message in it',
    breaks: 'a background task of an agent answers the wrong message',
  },
  'subagents.foreground': {
    expects: 'runs a subagent in the foreground if the hook changes its input accordingly, and asks nobody',
    breaks: 'an answer comes before the subagents have found anything',
  },
  'subagents.announced': {
    expects:
      'announces a subagent in the background with its type and tool use, and its end before the turn that reports',
    breaks: 'what an agent says before its subagents report is mistaken for the answer',
  },
  'subagents.idle': {
    expects: 'says that the session is idle after the turn that reports',
    breaks: 'an answer that waits for the background never comes, or fails with background_timeout',
  },
  'turns.compact': {
    expects: 'compacts on /compact, and says so with a compact_boundary',
    breaks: 'conversations that grow too long cannot be compacted',
  },
  'bridge.project': {
    expects: 'starts MCP servers on stdio in the directory of the project, and names it in CLAUDE_PROJECT_DIR',
    breaks: "iris mcp acts as external instead of as the project's team",
  },
  'end.idle': {
    expects: 'exits 0 when its stdin is closed while it is idle',
    breaks: 'idle processes have to be killed',
  },
  'end.busy': {
    expects: 'exits 143 on SIGTERM in the middle of a tool',
    breaks: 'hung processes have to be killed, and lose what was just said',
  },
  'end.tag': {
    expects: "passes Iris's process tag on to everything its tools start",
    breaks: 'programs started by agents are left behind when their process ends',
  },
} as const satisfies Record<string, Clause>

export type ClauseName = keyof typeof clauses

export const clauseNames = Object.keys(clauses) as readonly ClauseName[]
