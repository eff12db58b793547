/** One behaviour that Iris relies on: what it expects of Claude Code, and what does not work without it. */
export interface Clause {
  readonly expects: string
  readonly breaks: string
}

/** The contract. `docs/guide/doctor.md` lists it, scenes test it, test/pins states it more exactly for two versions. */
export const clauses = {
  'start.ready': {
    expects: 'knows the options of Iris, and answers `initialize` without a call of the model',
    breaks: 'no process is ever ready: no team can be asked',
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
    breaks: 'after a crash nobody knows which tools had begun; rules that deny do not hold',
  },
  'tools.ran': {
    expects: 'says after each tool with which input it ran',
    breaks: 'the list of tools of a turn shows what Iris was asked about, and not what a hook made of it',
  },
  'tools.closed': {
    expects: 'does not offer the tools that Iris closes to the model, such as its inbox and its timers',
    breaks: 'agents start turns that nobody asked for, or change a conversation for the next message',
  },
  'message.echo': {
    expects: 'echoes a message under its uuid, before the result',
    breaks: 'answers cannot be distinguished from turns that the CLI began by itself',
  },
  'message.result': {
    expects: 'ends a turn with a result: the answer, is_error, usage, the window of the model, the cost',
    breaks: 'answers, tokens and cost are missing, and compaction comes at the wrong time',
  },
  'message.session': {
    expects: 'names the session in its lines, and no other',
    breaks: 'the process is taken for a stranger and ended',
  },
  'message.partial': {
    expects: 'prints the text while the model still speaks',
    breaks: 'answers appear only when they are whole',
  },
  'message.once': {
    expects: 'echoes a uuid that is in the transcript, and does not run it again',
    breaks: 'a message that is sent again after a crash is worked on twice',
  },
  'message.inert': {
    expects: 'takes @path and a wrapped /command for text',
    breaks: 'who asks a team can have files read into its conversation',
  },
  'message.failure': {
    expects: 'ends a turn whose API call failed with is_error, and goes on',
    breaks: 'failures are taken for answers',
  },
  'session.file': {
    expects: 'writes <config directory>/projects/*/<session id>.jsonl, with the uuid of the message and its end_turn',
    breaks: 'conversations are lost at the next start of a process, and crashes cannot be judged',
  },
  'session.taken': {
    expects: 'refuses to create a session whose transcript is there: exit 1, "already in use"',
    breaks: 'a conversation could be begun twice under one id',
  },
  'session.unknown': {
    expects: 'refuses to resume what it does not know: exit 1, "No conversation found"',
    breaks: 'a lost conversation is not noticed',
  },
  'session.resume': {
    expects: 'takes up a conversation after a kill, with all that was said',
    breaks: 'teams forget what was said whenever their process ends',
  },
  'session.copy': {
    expects: 'resumes a copy of a transcript under another id',
    breaks: 'forks, and conversations that were restored',
  },
  'session.kept': {
    expects: 'leaves old transcripts alone when --settings says so',
    breaks: 'conversations not used for 30 days are deleted',
  },
  'session.registry': {
    expects: 'says in <config directory>/sessions/<pid>.json which session a living process has',
    breaks: 'Iris does not notice that a person has the conversation open',
  },
  'permission.question': {
    expects: 'asks over the pipe whether a tool may run, and runs it when that is allowed',
    breaks: 'agents can do nothing that needs a permission, or everything without one',
  },
  'permission.denial': {
    expects: 'does not run a tool that was denied, and tells the model why',
    breaks: 'what a person denied is done all the same',
  },
  'permission.rule': {
    expects: 'does not run a tool that the hook denied, and asks nobody',
    breaks: 'rules that deny and grantPermission: no do not hold',
  },
  'permission.handed': {
    expects: 'judges by the rules of apply_flag_settings from the next tool on, and by none that the next list lacks',
    breaks: 'rules that allow do not hold, or hold after they were withdrawn',
  },
  'permission.refused': {
    expects:
      'refuses what the rules that deny of apply_flag_settings name, without a question, until a list lacks them',
    breaks: 'what runs without a hook, such as a command in the text of a skill, runs past rules that deny',
  },
  'permission.asked': {
    expects: 'asks where the hook says so, though a rule allows the tool',
    breaks: 'a process that keeps a rule continues to use it',
  },
  'permission.http': {
    expects: 'asks the tool that --permission-prompt-tool names, over HTTP with the headers of --mcp-config',
    breaks: 'with sessionMcpEnabled, agents can do nothing that needs a permission',
  },
  'control.alive': {
    expects: 'answers get_context_usage, with its figures, while a tool runs',
    breaks: 'long work is taken for a hang, and compaction comes at the wrong time',
  },
  'control.interrupt': {
    expects: 'ends the turn when it is interrupted, as an error, and answers the next message',
    breaks: 'messages cannot be cancelled',
  },
  'control.withdraw': {
    expects: 'takes a message back that it has not begun (cancel_async_message)',
    breaks: 'a message that is cancelled early is worked on all the same',
  },
  'control.servers': {
    expects: 'says in mcp_status with which address and headers it holds an MCP server, and that it is connected',
    breaks: 'with sessionMcpEnabled, no process is ever ready',
  },
  'turns.unsolicited': {
    expects: 'marks the result of a turn that it began by itself with an origin, and echoes no message in it',
    breaks: 'a background task of an agent answers the wrong message',
  },
  'subagents.foreground': {
    expects: 'runs a subagent in the foreground when the hook changes its input so, and asks nobody',
    breaks: 'an answer comes before the subagents have found anything',
  },
  'subagents.announced': {
    expects:
      'announces a subagent in the background with its type and tool use, and its end before the turn that reports',
    breaks: 'what an agent says before its subagents have reported is taken for the answer',
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
    breaks: 'iris mcp speaks as external, and not as the team of the project',
  },
  'end.idle': {
    expects: 'exits 0 when its stdin is closed at rest',
    breaks: 'idle processes have to be killed',
  },
  'end.busy': {
    expects: 'exits 143 on SIGTERM in the middle of a tool',
    breaks: 'processes that hang have to be killed, and lose what was just said',
  },
  'end.tag': {
    expects: 'passes the process tag of Iris on to what its tools start',
    breaks: 'what agents started is left behind when their process has gone',
  },
} as const satisfies Record<string, Clause>

export type ClauseName = keyof typeof clauses

export const clauseNames = Object.keys(clauses) as readonly ClauseName[]
