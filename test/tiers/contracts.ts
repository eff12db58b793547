/**
 * Specs that run with both versions of Claude Code in every run, each with the difference between them that Iris handles. All others
 * run with the newest version, and with the older one in `npm run nightly` or when they are named. So do pins (`test/pins`), as nothing
 * of Iris changes what an older Claude Code does, and the tests of these files that are not about the difference.
 */
export const contracts: Readonly<Record<string, string>> = {
  'test/pins/background-session.test.ts':
    'The versions say in different words that a conversation is open in the background.',
  'test/spec/api-errors.test.ts':
    'The older version ends a turn that the API refuses as `completed`, and names no type of error.',
  'test/spec/attachments.test.ts': 'The older version has another variable against its own attachments.',
  'test/spec/background.test.ts': 'The older version neither lists its tasks nor says that a task caused a turn.',
  'test/spec/commands-crash.test.ts': 'The older version tells the model of the killed commands before it ends.',
  'test/spec/cost.test.ts': 'The older version starts to count at zero when it resumes a conversation.',
  'test/spec/crash.test.ts': 'Both must end with their tools when the daemon was killed.',
  'test/spec/deny-rules.test.ts': 'The older version reads less of a command for a rule, and loads agents differently.',
  'test/spec/endings.test.ts':
    'The older version says `completed` with an error, and says in words what became of a prompt that a hook blocked.',
  'test/spec/fork.test.ts':
    'Iris writes the transcript that the fork resumes, and each version reads it in its own way.',
  'test/spec/hooks-on-requests.test.ts': 'The older version says in words what became of a prompt that a hook blocked.',
  'test/spec/login-later.test.ts':
    'The older version follows a socket in a settings file, whatever other settings say.',
  'test/spec/moved-project.test.ts': 'The older version resumes a conversation only under the name of its directory.',
  'test/spec/message-once.test.ts': 'The older version chooses in another way from where it resumes a conversation.',
  'test/spec/lasting-state.test.ts':
    'The older version begins each message in the project, whatever directory its shell has changed to.',
  'test/spec/permissions-crash.test.ts':
    'The older version records an interrupted question with another text and no kind.',
  'test/spec/permissions.test.ts':
    'The older version refuses an `allow` without input, and gives the model another text for a denial.',
  'test/spec/reload.test.ts': 'The older version forgets an approval after a change of its rules.',
  'test/spec/rules.test.ts': 'The older version gives the model the reason of a rule without the name of the hook.',
  'test/spec/session-questions-real.test.ts':
    'The older version knows only the revision with forms, and shows the whole input in one.',
  'test/spec/setup-problems.test.ts': 'The older version does not name the source of a server.',
  'test/spec/session-mcp.test.ts': 'The older version does not tell the model what a server says of itself.',
  'test/spec/steer.test.ts': 'The older version does not tell whether an interrupted message is still queued.',
  'test/spec/subagents.test.ts': 'The older version says that it is idle while its agents work, and offers no watches.',
  'test/spec/take-over-real.test.ts': 'Both must register their terminals where Iris looks for them.',
  'test/spec/too-long.test.ts': 'The older version compacts in other steps after a refusal.',
  'test/spec/typed.test.ts': 'Both must take a schema, and return a value for it.',
  'test/spec/unsolicited.test.ts':
    'The older version names no messages in its results, and takes another turn when its process ends.',
  'test/spec/answer-text.test.ts':
    'The older version has no text for the model after a cut, and ends a turn whose stream broke.',
  'test/spec/without-end.test.ts': 'The newer version prints a line every 30 seconds while it waits for a tool.',
}
