import { specifiersOf } from './imports.ts'
import { isTest, type SourceFile } from './source-file.ts'

/**
 * Who may touch files and start programs besides `src/platform/machine`, and why that lends an agent nothing. What lies where agents
 * write (their projects, Claude Code's directory) is reached through `src/platform/machine` alone: there the daemon would do with its
 * rights what the agent wants (docs/decisions/0024). A folder stands for all that is in it.
 */
const fileAccess: Readonly<Record<string, string>> = {
  'src/platform/machine/': 'the port itself',
  'src/platform/callers/': 'reads /proc: who is at the other end of a connection',
  'src/base/lib/process-start.ts': 'reads /proc: which process has a pid',
  'src/base/lib/make-directory.ts': 'makes $IRIS_HOME and the directories in it, for those named below',
  'src/base/lib/replace-file.ts': 'writes the small files of $IRIS_HOME, for those named below',
  'src/base/lib/plain-file.ts': 'reads the small files of $IRIS_HOME, for those named below',
  'src/base/lib/low-priority.ts': 'reads /proc: the number of this thread',
  // A person's own command, with that person's rights and not beside the daemon.
  'src/app/cli/': 'run by a person',
  'src/adapters/client/': 'run by a person: the bridge',
  'src/app/demo/': 'run by a person, in a world of its own',
  'src/app/probe/': 'run by a person, in a world of its own',
  'src/app/doctor/': 'run by a person',
  // $IRIS_HOME, which isolated agents do not see.
  'src/platform/store/': 'the store in $IRIS_HOME',
  'src/platform/hosts/connection-directory.ts': 'the sockets of ssh, in a directory of its own making',
  'src/features/search/index-file.ts': 'the index in $IRIS_HOME',
  'src/features/search/search.ts': 'the index in $IRIS_HOME',
  'src/claude/transcript/': 'output_streams in $IRIS_HOME',
  'src/kernel/turn/message-log.ts': 'data/turns in $IRIS_HOME',
  'src/app/daemon/credential-file.ts': 'the keys in $IRIS_HOME',
  'src/app/daemon/adopt.ts': 'the keys in a copy of $IRIS_HOME; run by a person',
  'src/app/daemon/backup-file.ts': 'a file that a person names; run by that person',
  'src/app/daemon/remove-leftovers.ts': 'halves of such files; run by that person',
  'src/app/daemon/backup.ts': '$IRIS_HOME, into a file that a person names; run by that person',
  'src/app/daemon/restore.ts': 'a new $IRIS_HOME, from a file that a person names; run by that person',
  'src/features/tokens/token-file.ts': 'tokens in $IRIS_HOME',
  'src/features/cluster/cluster-key.ts': 'the key of this host in $IRIS_HOME',
  'src/app/daemon/daemon-file.ts': 'daemon.json in $IRIS_HOME',
  'src/app/daemon/daemon.ts': 'makes $IRIS_HOME',
  'src/app/daemon/home-socket.ts': 'the socket in $IRIS_HOME',
  'src/app/daemon/offline.ts': 'the log file in $IRIS_HOME',
  'src/app/daemon/own-home.ts': 'whether there is a home again in a former place of $IRIS_HOME',
  'src/app/daemon/open-own-store.ts': 'the real path of $IRIS_HOME',
  'src/app/daemon/readable-config.ts': 'the mode of config.yaml',
  'src/kernel/discovery/directory-walk.ts': 'lists output_streams in $IRIS_HOME',
  'src/kernel/rebuild/rebuild.ts': 'the store and output_streams in $IRIS_HOME',
  'src/kernel/rebuild/conversations.ts': 'the times of output_streams in $IRIS_HOME',
  'src/kernel/queue/archive.ts': 'removes output_streams in $IRIS_HOME',
  'src/kernel/accept/orchestrator.ts': 'removes data/turns in $IRIS_HOME',
  'src/adapters/http/dashboard/login-file.ts': 'logins in $IRIS_HOME',
  'src/claude/driver/probe-record.ts': 'probes.json in $IRIS_HOME; what a program is, without opening it',
  'src/features/agents/home-file.ts': 'templates in $IRIS_HOME; behind a link of the owner no further link is followed',
  // config.yaml, which the owner alone writes.
  'src/platform/config/add-rule.ts': 'config.yaml',
  'src/platform/config/channel-token.ts': "the token of a bot, in a file that must be the owner's alone",
  'src/platform/config/config-text.ts': 'config.yaml',
  'src/platform/config/home.ts': 'the names in $IRIS_HOME, before it is used',
  'src/platform/config/home-mark.ts': 'the inode of the lock in $IRIS_HOME',
  'src/platform/config/home-record.ts': 'home.json in $IRIS_HOME',
  'src/platform/config/invited-hosts.ts': 'data/invited-hosts in $IRIS_HOME',
  'src/platform/config/keeper-file.ts': 'data/keeper.json and data/made-streams in $IRIS_HOME',
  'src/platform/config/load.ts': 'config.yaml',
  'src/platform/config/replace-config.ts': 'config.yaml',
  'src/platform/config/replace-text.ts': 'config.yaml',
  'src/platform/config/watch.ts': 'the directories and links that lead to config.yaml',
  // What came with Iris, or belongs to the machine's administrator.
  'src/features/agents/built-in.ts': 'templates of Iris',
  'src/platform/hosts/supervisor-text.ts': 'the supervisor, which is run on hosts',
  'src/claude/driver/managed-settings.ts': 'the settings of the administrator, by their names',
  'src/adapters/http/dashboard/build.ts': 'builds the dashboard in a checkout',
  'src/adapters/http/dashboard/dashboard.ts': 'the built dashboard',
  'src/adapters/http/dashboard/site.ts': 'the built dashboard',
  // Names and facts of what agents may change: nothing is opened, so that there is nothing to hand out.
  'src/platform/config/claude-file.ts': 'whether a file is there',
  'src/kernel/pool/conversation-directories.ts': 'makes empty directories and lists names; refuses links',
  'src/kernel/pool/isolation.ts': 'real paths of what is to be hidden; makes the directories of sockets, empty',
  'src/kernel/pool/kept-directory.ts': 'makes directories of sockets, and an empty file in each through no link',
  'src/kernel/pool/sandbox-logins.ts': 'a login, through no link, into its copy in $IRIS_HOME',
  'src/kernel/pool/sandbox-view.ts': 'names in Claude Code’s directory, real paths; makes tasks/, empty',
  'src/kernel/pool/team-machines.ts': 'the real path of $IRIS_HOME',
  'src/base/rule/tool-use.ts': 'where a path leads that a rule is about',
  // What reaches into a project by open directories, never through a link.
  'src/base/lib/inner-directory.ts': 'the session MCP file in a project, through no link',
  'src/kernel/pool/session-mcp-file.ts': 'its records in $IRIS_HOME; the file by lib/inner-directory.ts',
  'src/base/lib/byte-source.ts': 'files of $IRIS_HOME, for their readers',
  'src/base/lib/disk-space.ts': 'how full a disk is',
}

/** Parts of features that belong to the command line and to the doctor. */
const ofApp = /^src\/(?:features|views)\/[^/]+\/(commands|checks)\//
const modules = /^(?:node:)?(?:fs|fs\/promises|child_process)$/

/** A file that touches files or starts programs without a reason in the table, and a reason that nobody needs. */
export function fileAccessBreaches(
  files: readonly SourceFile[],
  table: Readonly<Record<string, string>> = fileAccess,
): readonly string[] {
  const touching = files.filter((file) => file.path.startsWith('src/') && !isTest(file) && touches(file))
  const rowOf = (file: SourceFile) => {
    const path = file.path.replace(ofApp, (_, part) => `src/app/${part === 'checks' ? 'doctor' : 'cli'}/`)
    return Object.keys(table).find((row) => path === row || (row.endsWith('/') && path.startsWith(row)))
  }
  const used = new Set(touching.map(rowOf))
  return [
    ...touching
      .filter((file) => rowOf(file) === undefined)
      .map(
        ({ path }) => `${path} touches files or starts programs; where agents write that is for src/platform/machine`,
      ),
    ...Object.keys(table)
      .filter((row) => !used.has(row))
      .map((row) => `${row} touches no files any more: take it out of the table`),
  ]
}

function touches(file: SourceFile): boolean {
  return specifiersOf(file).some((name) => modules.test(name)) || /\bgetBuiltinModule\b/.test(file.text)
}
