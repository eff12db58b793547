/** What a service of the user runs. */
export interface ServiceFacts {
  /** Program and arguments, absolute. */
  readonly command: readonly string[]
  readonly env: Readonly<Record<string, string>>
  /** Absolute path of the log, for a manager that keeps none. */
  readonly log: string
}

/** Whether a service's file sets this IRIS_HOME. */
export function namesHome(file: string, home: string): boolean {
  const variable = ['IRIS_HOME', home] as const
  return [systemdVariable(variable), launchAgentVariable(variable)].some((words) => file.includes(words))
}

/** Longer than a stopping daemon lets turns run. */
const stopSeconds = 60

/**
 * A unit of systemd's user manager. systemd does not retry after exit codes for which a restart cannot help (see
 * docs/guide/command.md).
 */
export function systemdUnit({ command, env }: ServiceFacts): string {
  const [program = '', ...args] = command
  return `[Unit]
Description=Iris, a switchboard for Claude Code

[Service]
Type=exec
ExecStart=${[quoted(program), ...args.map((arg) => quoted(arg).replaceAll('$', () => '$$'))].join(' ')}
${Object.entries(env).map(systemdVariable).join('')}Restart=on-failure
RestartSec=5
RestartPreventExitStatus=3 5 6 12
KillMode=mixed
TimeoutStopSec=${stopSeconds}

[Install]
WantedBy=default.target
`
}

function systemdVariable([name, value]: readonly [string, string]): string {
  return `Environment=${quoted(`${name}=${value}`)}\n`
}

/** Quotes as systemd.syntax(7) describes; `%` is escaped because it begins a specifier everywhere. */
function quoted(text: string): string {
  const escaped = text.replaceAll('%', '%%').replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')
  return /^[\w./:=@%+,-]+$/.test(escaped) ? escaped : `"${escaped}"`
}

/** The service's file for launchd on macOS. */
export function launchAgent(label: string, { command, env, log }: ServiceFacts): string {
  const strings = command.map((word) => `    <string>${inXml(word)}</string>`).join('\n')
  const variables = Object.entries(env).map(launchAgentVariable).join('\n')
  return `<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<plist version="1.0">
<dict>
  <key>Label</key>
  <string>${inXml(label)}</string>
  <key>ProgramArguments</key>
  <array>
${strings}
  </array>
  <key>EnvironmentVariables</key>
  <dict>
${variables}
  </dict>
  <key>RunAtLoad</key>
  <true/>
  <key>KeepAlive</key>
  <dict>
    <key>Crashed</key>
    <true/>
  </dict>
  <key>StandardOutPath</key>
  <string>${inXml(log)}</string>
  <key>StandardErrorPath</key>
  <string>${inXml(log)}</string>
  <key>ExitTimeOut</key>
  <integer>${stopSeconds}</integer>
</dict>
</plist>
`
}

function launchAgentVariable([name, value]: readonly [string, string]): string {
  return `    <key>${inXml(name)}</key>\n    <string>${inXml(value)}</string>`
}

function inXml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}
