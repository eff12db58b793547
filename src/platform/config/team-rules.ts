import { external } from '../../base/protocol/pair.ts'
import { parseRemote } from '../hosts/remote-command.ts'
import { NoCommand } from '../hosts/shell-words.ts'
import { loginVariables } from './account.ts'
import { type ProblemList, shown } from './problem.ts'
import { builtInRoles } from './roles.ts'

/** Any mapping of the tree, not yet checked. */
export type Entry = Readonly<Record<string, unknown>>

/** The teams of an unchecked tree that are mappings, by name. */
export function teamEntries(tree: unknown): [name: string, entry: Entry][] {
  const teams = asEntry(asEntry(tree)?.['teams'])
  return Object.entries(teams ?? {}).flatMap(([name, value]) => {
    const entry = asEntry(value)
    return entry ? [[name, entry]] : []
  })
}

export function asEntry(value: unknown): Entry | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Entry) : undefined
}

/** Checks the rules between keys of a team. Works on the unchecked tree, so that one run names every mistake. */
export function checkTeamRules(tree: unknown, problems: ProblemList): void {
  for (const [name, entry] of teamEntries(tree)) {
    checkPath(name, entry, problems)
    checkDangerous(name, entry, problems)
    checkAskers(name, entry, tree, problems)
    checkAccount(['teams', name], entry, problems)
    checkRemote(name, entry, asEntry(asEntry(tree)?.['settings'])?.['isolation'], problems)
    checkForward(name, entry, asEntry(tree)?.['settings'], problems)
    checkForwardChannel(['teams', name], entry, tree, problems)
  }
  checkAccount(['settings'], asEntry(asEntry(tree)?.['settings']) ?? {}, problems)
  checkForwardChannel(['settings'], asEntry(tree)?.['settings'], tree, problems)
  checkCallbacks(tree, problems)
  for (const section of ['channels', 'triggers']) checkTeamAndRole(section, tree, problems)
  checkTriggerCallbacks(tree, problems)
}

function checkForwardChannel(at: readonly string[], holder: unknown, tree: unknown, problems: ProblemList): void {
  const wanted = asEntry(asEntry(holder)?.['forwardTo'])?.['channel']
  const names = Object.keys(asEntry(asEntry(tree)?.['channels']) ?? {})
  const path = [...at, 'forwardTo', 'channel']
  if (typeof wanted !== 'string' || names.includes(wanted) || problems.isUnread(path)) return
  const remedy = 'Correct the name, or add it under channels.'
  problems.report(path, { problem: 'is no channel', allowed: names.join(', ') || 'none yet', remedy })
}

/**
 * A bot or a trigger whose team does not exist would refuse everybody; a role that does not exist would be treated as
 * the most restricted one.
 */
function checkTeamAndRole(section: string, tree: unknown, problems: ProblemList): void {
  const whole = asEntry(tree)
  const [teams, roles] = [asEntry(whole?.['teams']) ?? {}, asEntry(whole?.['roles']) ?? {}]
  for (const [name, value] of Object.entries(asEntry(whole?.[section]) ?? {})) {
    const { team, role } = asEntry(value) ?? {}
    const known = { team: Object.keys(teams), role: [...Object.keys(builtInRoles), ...Object.keys(roles)] }
    for (const [key, wanted] of Object.entries({ team, role })) {
      const names = known[key as keyof typeof known]
      if (typeof wanted !== 'string' || names.includes(wanted) || problems.isUnread([section, name, key])) continue
      const remedy = `Correct the name, or add it under ${key}s.`
      problems.report([section, name, key], {
        problem: `is no ${key}`,
        allowed: names.join(', ') || 'none yet',
        remedy,
      })
    }
  }
}

/** If its only teams did not exist, no message could name the callback. */
function checkCallbacks(tree: unknown, problems: ProblemList): void {
  const whole = asEntry(tree)
  const names = Object.keys(asEntry(whole?.['teams']) ?? {})
  for (const [name, value] of Object.entries(asEntry(whole?.['callbacks']) ?? {})) {
    const wanted = asEntry(value)?.['teams']
    for (const [index, team] of (Array.isArray(wanted) ? wanted : []).entries()) {
      // Teams of other hosts are known only while those hosts are connected.
      if (typeof team !== 'string' || names.includes(team) || team.includes('@')) continue
      const remedy = 'Correct the name, or add it under teams.'
      problems.report(['callbacks', name, 'teams', index], {
        problem: 'is no team',
        allowed: names.join(', ') || 'none yet',
        remedy,
      })
    }
  }
}

/** A callback that does not exist or is for other teams would inform nobody. */
function checkTriggerCallbacks(tree: unknown, problems: ProblemList): void {
  const whole = asEntry(tree)
  const callbacks = Object.entries(asEntry(whole?.['callbacks']) ?? {})
  for (const [name, value] of Object.entries(asEntry(whole?.['triggers']) ?? {})) {
    const { callback: wanted, team } = asEntry(value) ?? {}
    const may = callbacks.filter(([, callback]) => {
      const teams = asEntry(callback)?.['teams']
      return !Array.isArray(teams) || teams.includes(team)
    })
    const names = may.map(([each]) => each)
    const at = ['triggers', name, 'callback']
    if (typeof wanted !== 'string' || names.includes(wanted) || problems.isUnread(at)) continue
    problems.report(at, {
      problem: 'is not a callback for this team',
      allowed: names.join(', ') || 'none yet',
      remedy: 'Correct the name, or add it under callbacks.',
    })
  }
}

function checkPath(name: string, { path, project }: Entry, problems: ProblemList): void {
  const at = ['teams', name, 'path']
  if (problems.isUnread(at) || problems.isUnread(['teams', name, 'project'])) return
  if (path === undefined && project === undefined) {
    problems.report(at, {
      problem: 'is missing',
      allowed: 'an absolute path, or one that begins with ~/',
      remedy: `Add the directory of the project, for example path: ~/projects/${shown(name)}`,
    })
  }
  if (typeof path === 'string' && typeof project === 'string' && path !== project) {
    problems.report(['teams', name, 'project'], {
      problem: 'differs from path, and project is the older name of path',
      remedy: 'Keep path, with the right directory, and remove project.',
    })
  }
}

function checkDangerous(name: string, { grantPermission, dangerous }: Entry, problems: ProblemList): void {
  const isYes = grantPermission === 'yes' || grantPermission === true
  if (!isYes || dangerous === true || problems.isUnread(['teams', name, 'dangerous'])) return
  problems.report(['teams', name, 'grantPermission'], {
    problem: 'lets this team use every tool without asking, and nothing confirms that you intend this',
    allowed: 'yes only together with dangerous: true; no, ask or forward without it',
    remedy: 'Add "dangerous: true" beside it if you mean it. Otherwise use "grantPermission: ask".',
  })
}

/** Rules for an asker that does not exist would never apply, and nobody would notice. */
function checkAskers(name: string, { permissions }: Entry, tree: unknown, problems: ProblemList): void {
  const teams = asEntry(asEntry(tree)?.['teams']) ?? {}
  for (const asker of Object.keys(asEntry(asEntry(permissions)?.['from']) ?? {})) {
    if (asker === external || Object.hasOwn(teams, asker)) continue
    problems.report(['teams', name, 'permissions', 'from', asker], {
      problem: 'is not a team, so these rules would never apply',
      allowed: `the name of a team, or ${external}`,
      remedy: 'Correct the name, or remove these rules.',
    })
  }
}

function checkRemote(name: string, entry: Entry, usualIsolation: unknown, problems: ProblemList): void {
  const { remote, remoteOptions, isolation = usualIsolation } = entry
  const at = (key: string): string[] => ['teams', name, key]
  if (problems.isUnread(at('remote'))) return
  if (remote === undefined) {
    for (const key of ['remoteOptions', 'enableReverseMcp', 'linkGrace']) {
      if (entry[key] === undefined) continue
      problems.report(at(key), {
        problem: 'has no effect without remote',
        allowed: `${key} only together with remote`,
        remedy: 'Add remote, for example "remote: ssh inanna", or remove it.',
      })
    }
    return
  }
  if (isolation === 'sandbox' && !problems.isUnread(at('isolation'))) {
    problems.report(at('isolation'), {
      problem: 'asks for a sandbox on another machine, where Iris cannot make one',
      allowed: 'home or none; neither of them hides anything there',
      remedy: 'Set isolation: home for the team, and let it work there under its own user account.',
    })
  }
  if (typeof remote !== 'string' || remoteOptions === undefined) return
  try {
    parseRemote(remote, asEntry(remoteOptions) ?? {})
  } catch (error) {
    // A mistake in `remote` itself is reported when the shape is checked.
    if (!(error instanceof NoCommand) || !/remoteOptions/.test(error.message)) return
    problems.report(at('remoteOptions'), {
      problem: 'is for ssh, but remote names another program',
      allowed: 'remoteOptions only with "remote: ssh …"',
      remedy: 'Write the options into remote.',
    })
  }
}

/** Reports two logins in one place, because the person must choose one. */
function checkAccount(at: readonly string[], { account, env, remote }: Entry, problems: ProblemList): void {
  if (account === undefined || problems.isUnread([...at, 'account'])) return
  const given = asEntry(env) ?? {}
  for (const variable of loginVariables) {
    if (given[variable] === undefined || problems.isUnread([...at, 'env', variable])) continue
    problems.report([...at, 'account'], {
      problem: `is a second login, in addition to ${variable} in env`,
      allowed: 'account, or that variable',
      remedy: 'Remove one of them.',
    })
  }
  const directory = asEntry(account)?.['configDirectory']
  if (remote === undefined || typeof directory !== 'string' || directory.startsWith('/')) return
  problems.report([...at, 'account', 'configDirectory'], {
    problem: 'is on another machine, where "~" has another meaning',
    allowed: 'an absolute path',
    remedy: 'Write the whole path.',
  })
}

function checkForward(
  name: string,
  { grantPermission, forwardTo }: Entry,
  settings: unknown,
  problems: ProblemList,
): void {
  if (grantPermission !== 'forward' || (forwardTo ?? asEntry(settings)?.['forwardTo']) !== undefined) return
  if (problems.isUnread(['teams', name, 'forwardTo']) || problems.isUnread(['settings', 'forwardTo'])) return
  problems.report(['teams', name, 'grantPermission'], {
    problem: 'forwards questions, but nothing says where to',
    allowed: 'forward only with forwardTo in this team or in settings; yes with dangerous: true, no or ask',
    remedy: 'Add "forwardTo:" with url and secret to settings or to this team. Otherwise use "grantPermission: ask".',
  })
}
