/** The texts of this part of the dashboard, in one place so that they can be translated. */
export const texts = {
  denialHoldsNote: ' · a denial is remembered',
  aRuleIsNeeded: 'a rule is needed: none matches exactly this',
  alwaysAdds: (team: string) => `"Always" adds this rule to config.yaml for everyone who asks ${team}: `,
  answers: 'Answers',
  askedBy: 'Asked by ',
  copyTheInputOf: (toolName: string) => `Copy the input of ${toolName}`,
  deniedNow: 'Denied now',
  rememberThisAnswer: 'Remember this answer: ',
  inConversation: ', in ',
  checkFirst: (warnings: string) => `Check before allowing: ${warnings}`,
  sendingAnswer: 'Sending…',
  deniedIn: (time: string) => `Denied in ${time} if unanswered`,
  viewTrace: 'View trace',
  withAReason: ' · with a reason',
  withAnotherInput: ' · with another input',
  changedOnlyOnce: 'A changed input can be allowed only once.',
  choices: {
    once: 'Allow once',
    session: 'For this conversation',
    pair: (pair: string) => `For ${pair}`,
    always: 'Always',
    deny: 'Deny',
  },
  // The tools of Claude Code whose use has its own name; the others keep theirs.
  kinds: {
    Bash: 'command',
    PowerShell: 'command',
    Edit: 'edit',
    MultiEdit: 'edit',
    NotebookEdit: 'edit',
    Write: 'write',
  },
  // What an agent wants to do: "mobile wants to run a command".
  wants: {
    command: (team: string) => `${team} wants to run a command`,
    edit: (team: string) => `${team} wants to edit a file`,
    write: (team: string) => `${team} wants to write a file`,
    tool: (team: string, tool: string) => `${team} wants to use ${tool}`,
  },
  // The same as a thing that somebody allowed or denied.
  uses: {
    command: (team: string) => `${team}'s command`,
    edit: (team: string) => `${team}'s edit`,
    write: (team: string) => `${team}'s new file`,
    tool: (team: string, tool: string) => `${team}'s use of ${tool}`,
  },
  // What came of a request: "You denied mobile's command."
  decided: {
    pending: (use: string) => `Nobody has answered yet: ${use}.`,
    allowed: (use: string, by: string) => `${by} allowed ${use}.`,
    denied: (use: string, by: string) => `${by} denied ${use}.`,
    timed_out: (use: string) => `Nobody answered in time: Iris denied ${use}.`,
    ended: (use: string) => `No answer is needed any more: ${use}.`,
  },
  deciders: { owner: 'You', iris: 'Iris', unknown: 'Somebody' },
  decidersInside: { owner: 'you', iris: 'Iris', unknown: 'somebody' },
  hadNoEffect: (decided: string) => `${decided} Your answer had no effect.`,
  inputIsNoObject: 'The changed input is not a JSON object. Correct it, or undo the change.',
  noRuleMatches: 'No rule matches exactly this use. Write the rule that you mean, or answer once.',
  reaches: (path: string) => `reaches ${path}`,
  ruleIsTakenOut: (rule: string, team: string) =>
    `Iris has removed the rule ${rule} of ${team} from config.yaml again.`,
  undo: 'Undo',
}
