/**
 * The thorough tier: test files that `npm run test:all` runs and `npm test` does not, each under its reason. A file that is
 * not here is in the tier of `npm test`, or in the fast one. In a file of `npm test` the tag `thorough` does the same for one test.
 */
const thorough: Readonly<Record<string, readonly string[]>> = {
  'A fault is found by waiting for what does not come, once a clause; pins show the same of the real Claude Code.': [
    'test/spec/probe-faults.test.ts',
    'test/spec/probe.test.ts',
  ],
  'It waits 70 s of real time for an answer.': ['test/spec/long-call.test.ts'],
  'It builds, packs, installs or releases the package.': [
    'test/release/release.test.ts',
    'test/spec/launcher.test.ts',
    'test/spec/newcomer.test.ts',
    'test/spec/package.test.ts',
    'test/spec/plugin.test.ts',
    'test/spec/scripts.test.ts',
  ],
  'It changes installations with the real Claude Code, a start of it a step.': [
    'test/spec/install-projects.test.ts',
    'test/spec/install.test.ts',
    'test/spec/service.test.ts',
    'test/spec/uninstall.test.ts',
  ],
  'Single commands in all their variations, each a process; cli.test.ts shows the command itself.': [
    'test/spec/command-attach.test.ts',
    'test/spec/command-config.test.ts',
    'test/spec/command-inspect.test.ts',
    'test/spec/command-looking.test.ts',
    'test/spec/command-start.test.ts',
    'test/spec/command-tell.test.ts',
    'test/spec/completion.test.ts',
    'test/spec/doctor-fix.test.ts',
    'test/spec/doctor-neighbours.test.ts',
    'test/spec/doctor.test.ts',
    'test/spec/monitor.test.ts',
    'test/spec/permissions-cli.test.ts',
  ],
  'Single screens in detail, in a browser; dashboard.test.ts shows the page itself.': [
    'test/spec/dashboard-configuration.test.ts',
    'test/spec/dashboard-conversation.test.ts',
    'test/spec/dashboard-debug.test.ts',
    'test/spec/dashboard-health.test.ts',
    'test/spec/dashboard-logs.test.ts',
    'test/spec/dashboard-statistics.test.ts',
    'test/spec/dashboard-subagents.test.ts',
    'test/spec/dashboard-switchboard.test.ts',
    'test/spec/dashboard-trace.test.ts',
  ],
  'Variations of what another file of `npm test` shows once.': [
    'test/compare/compare-rules.test.ts',
    'test/pins/isolated.test.ts',
    'test/spec/archive.test.ts',
    'test/spec/discovery.test.ts',
    'test/spec/handed-rules.test.ts',
    'test/spec/invoke-agent.test.ts',
    'test/spec/kept-transcripts.test.ts',
    'test/spec/long-conversations.test.ts',
    'test/spec/old-transcripts.test.ts',
    'test/spec/prewarm.test.ts',
    'test/spec/reload-limits.test.ts',
    'test/spec/search.test.ts',
    'test/spec/session-list.test.ts',
    'test/spec/session-verbs.test.ts',
    'test/spec/store-lost.test.ts',
    'test/spec/store-replaced.test.ts',
    'test/spec/turn-transcript.test.ts',
  ],
}

export const thoroughTests: readonly string[] = Object.values(thorough).flat()
