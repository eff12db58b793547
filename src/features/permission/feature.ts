import type { Observable } from 'rxjs'
import type { Log } from '../../base/lib/log.ts'
import type { Secrets } from '../../base/lib/secrets.ts'
import type { PublishedEvent } from '../../base/protocol/event.ts'
import { feature } from '../../kernel/call/feature.ts'
import type { Refusals } from '../../kernel/call/refusals.ts'
import type { Hosts } from '../../kernel/pool/hosts.ts'
import type { Launcher } from '../../kernel/pool/launch.ts'
import type { Pool } from '../../kernel/pool/pool.ts'
import { type Environment, userHome } from '../../platform/config/home.ts'
import { realPathsThere } from '../../platform/hosts/real-paths.ts'
import type { Ledger } from '../../platform/store/ledger.ts'
import type { Store } from '../../platform/store/store.ts'
import type { TreeRows } from '../../platform/store/trees.ts'
import { AskingSessions } from './asking-sessions.ts'
import { endLeftQuestions } from './end-left-questions.ts'
import { permissionEvents } from './events.ts'
import { forwardQuestions } from './forward/forward-questions.ts'
import { GrantedRules } from './granted-rules.ts'
import { type ApproveParts, approve } from './handlers/approve.ts'
import { answer, list, type PermissionsParts } from './handlers/permissions.ts'
import { revoke, rules } from './handlers/rules.ts'
import { ofSession } from './handlers/session-questions.ts'
import { openQuestions } from './needs.ts'
import { Policy } from './policy.ts'
import type { QuestionsParts } from './question.ts'
import { Questions } from './questions.ts'
import { PermissionGrants } from './rows/permission-grants.ts'
import { PermissionRows } from './rows/permissions.ts'
import { rulesOf } from './tool-rules.ts'

interface Needs
  extends ApproveParts,
    Omit<PermissionsParts, 'questions'>,
    Pick<QuestionsParts, 'audit' | 'config' | 'clock' | 'newId' | 'publish'> {
  readonly config: QuestionsParts['config']
  readonly clock: QuestionsParts['clock']
  readonly database: Store
  readonly env: Environment
  readonly events: Observable<PublishedEvent>
  readonly hosts: Hosts
  readonly launcher: Pick<Launcher, 'attachmentsOf' | 'isRemote'>
  readonly ledger: Pick<Ledger, 'journal' | 'turn'>
  readonly log: Log
  readonly pool: Pick<Pool, 'handRules'>
  readonly port: () => number
  readonly refusals: Pick<Refusals, 'record'>
  readonly secrets: Pick<Secrets, 'add'>
  readonly trees: Pick<TreeRows, 'above'>
}

/**
 * Decides which tools may run, by rules in config.yaml and people's answers, and asks people on the dashboard, in the
 * terminal, in chats or through a signed link.
 */
export const permission = feature('permission', { events: permissionEvents }, (parts: Needs) => {
  const { config, database, env, events, hosts, launcher, ledger, log, pool } = parts
  const grants = new PermissionGrants(database)
  const policy = new Policy({
    config,
    grants,
    home: userHome(env),
    homeElsewhere: (team) => hosts.of(team).host.home,
    linksElsewhere: (team, paths, bases) => realPathsThere(hosts.of(team).host, paths, bases),
    attachmentsOf: (team, sessionId) => launcher.attachmentsOf(team, sessionId),
  })
  const onGrant = (): void => pool.handRules()
  const rows = new PermissionRows(database, ledger.journal)
  const rootOf = (turnId: string): string => parts.trees.above(turnId)[0] ?? turnId
  const questions = new Questions({ ...parts, log: log.for('permission'), grants, policy, rows, rootOf, onGrant })
  const grantedRules = new GrantedRules({ config, grants, onGrant })
  endLeftQuestions(questions, events, parts)
  const forwarding = forwardQuestions({ ...parts, questions, log: log.for('forward') })
  const askingSessions = new AskingSessions()
  events.subscribe((event) => {
    if (event.type === 'turn-settled') askingSessions.ended(event.turnId)
    if (event.type.startsWith('permission:')) askingSessions.changed()
  })
  const reading = { ...parts, questions, grantedRules, askingSessions }
  return {
    gives: { policy, questions, grantedRules, askingSessions, signedAnswers: forwarding.answers },
    seams: { rules: rulesOf(policy, questions), questions },
    needs: (urgent) => openQuestions(urgent, questions),
    handlers: {
      list_permissions: (input, call) => list(input, call, reading),
      answer_permission: (input, call) => answer(input, call, reading),
      session_questions: (input, call) => ofSession(input, call, reading),
      list_rules: () => rules(reading),
      revoke_rule: (input) => revoke(input, reading),
      permissions__approve: (input, call) => approve(input, call, parts),
    },
    changed() {
      questions.settingsChanged()
      askingSessions.changed()
      forwarding.settingsChanged()
    },
    ended: () => forwarding.end(),
  }
})
