import type { Observable } from 'rxjs'
import type { PublishedEvent } from '../../base/protocol/event.ts'
import { pairText } from '../../base/protocol/pair.ts'
import type { AuditEntry } from '../../kernel/session/audit-entry.ts'
import type { Audit } from './rows/audit.ts'

export function recordEvents(events: Observable<PublishedEvent>, audit: Audit): void {
  events.subscribe((event) => {
    const entry = auditedEvent(event)
    if (entry) audit.record(entry)
  })
}

/** The audit entry of an event that no call of an operation caused: a saved config.yaml, or a take-over by a person. */
function auditedEvent(event: PublishedEvent): AuditEntry | undefined {
  const { at, type } = event
  const config = { at, actor: 'iris', subject: 'config.yaml' }
  if (type === 'config-reloaded') {
    const { teamsAdded, teamsRemoved, keys, needsRestart } = event
    const detail = { teamsAdded, teamsRemoved, keys, needsRestart }
    return { ...config, action: 'config.reloaded', decision: 'allowed', detail }
  }
  if (type === 'config-rejected') {
    const detail = { keys: event.problems.map(({ key }) => key) }
    return { ...config, action: 'config.rejected', decision: 'config_invalid', detail }
  }
  if (type === 'fault-found') {
    return { at, actor: 'iris', action: 'fault.found', subject: event.subject, detail: { fault: event.fault } }
  }
  if (type === 'fault-healed') {
    const detail = { fault: event.fault, tookMs: event.tookMs }
    return { at, actor: 'iris', action: 'fault.healed', subject: event.subject, detail }
  }
  if (type === 'answers-drifted') {
    return { at, actor: 'iris', action: 'answers.drifted', subject: event.team, detail: { turns: event.turns } }
  }
  if (type === 'conversation-moved') {
    const { kind, formerHost, host } = event
    return { at, actor: 'iris', action: `conversation.${kind}`, subject: pairText(event), detail: { formerHost, host } }
  }
  if (type === 'log-records-lost') {
    const { was, is } = event
    return { at, actor: 'iris', action: 'conversation.records-lost', subject: pairText(event), detail: { was, is } }
  }
  if (type === 'servers-lost') {
    return { at, actor: 'iris', action: 'servers.lost', subject: event.what, detail: {} }
  }
  if (type === 'host-joined-team') {
    return { at, actor: 'iris', action: 'host.joined', subject: event.team, detail: { host: event.host } }
  }
  if (type === 'reflected') {
    const detail = { asks: event.asks, suggestions: event.suggestions }
    return { at, actor: 'iris', action: 'insight.reflected', subject: 'messages', detail }
  }
  if (type === 'answer-kept') {
    const detail = { turnId: event.turnId }
    return { at, actor: 'iris', action: 'answer.kept', subject: pairText(event), detail }
  }
  if (type === 'session-held' || type === 'session-released') {
    const { pid, sessionId } = event
    const action = type === 'session-held' ? 'session.held' : 'session.released'
    return { at, actor: 'owner', action, subject: pairText(event), detail: { sessionId, pid } }
  }
  return decisionEntry(event)
}

/** What Iris decided by itself, if `insight` of config.yaml lets it. */
function decisionEntry(event: PublishedEvent): AuditEntry | undefined {
  const { at, type } = event
  if (type === 'answer-outdated') {
    const { turnId, path } = event
    return { at, actor: 'iris', action: 'answer.outdated', subject: pairText(event), detail: { turnId, path } }
  }
  if (type === 'files-collided') {
    const { path, turnId, otherTurnId } = event
    const detail = { path, turnId, otherTurnId }
    return { at, actor: 'iris', action: 'files.collided', subject: pairText(event), detail }
  }
  if (type === 'warmed-ahead') {
    return {
      at,
      actor: 'iris',
      action: 'process.warmed',
      subject: `${event.from}→${event.to}`,
      detail: { asker: event.asker },
    }
  }
  if (type === 'process-kept') {
    const detail = { ended: pairText(event.instead) }
    return { at, actor: 'iris', action: 'process.kept', subject: pairText(event), detail }
  }
  if (type === 'turn-overtook') {
    const detail = { turnId: event.turnId, overtaken: event.overtaken }
    return { at, actor: 'iris', action: 'turn.overtook', subject: pairText(event), detail }
  }
  return undefined
}
