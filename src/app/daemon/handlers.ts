import { type AgentsParts, agent } from '../../features/agents/handlers/agents.ts'
import { agents, type InvokeAgentParts, invoke } from '../../features/agents/handlers/invoke-agent.ts'
import { type AttachmentsParts, attachment } from '../../features/attachments/handlers/attachments.ts'
import { type AuditParts, audit, verified } from '../../features/audit/handlers.ts'
import {
  type ChannelsParts,
  change as changeChannel,
  list as listChannels,
  skipped as listSkipped,
  replay as replaySkipped,
  test as testChannel,
} from '../../features/channels/handlers/channels.ts'
import type { ChatToolsParts } from '../../features/channels/handlers/chat-tools.ts'
import * as chatTools from '../../features/channels/handlers/chat-tools.ts'
import type { ViewerParts } from '../../features/channels/handlers/viewer.ts'
import * as viewer from '../../features/channels/handlers/viewer.ts'
import {
  type ClusterParts,
  status as clusterStatus,
  drain as drainHost,
  forget as forgetHost,
  forgetUnreachable,
  keep,
  leave as leaveCluster,
} from '../../features/cluster/handlers.ts'
import {
  type ConfigParts,
  check as checkConfig,
  get as getConfig,
  save as saveConfig,
} from '../../features/configuration/handlers/config.ts'
import { type DeleteParts, deleteSession } from '../../features/conversations/handlers/delete.ts'
import { type ForkParts, forkSession } from '../../features/conversations/handlers/fork.ts'
import { type ListSessionsParts, list as listSessions } from '../../features/conversations/handlers/list-sessions.ts'
import { type SessionStatsParts, stats } from '../../features/conversations/handlers/session-stats.ts'
import { type SessionTurnsParts, turnsOf } from '../../features/conversations/handlers/session-turns.ts'
import { type MarkParts, mark } from '../../features/inbox/handlers.ts'
import { type HealingsParts, healings } from '../../features/insight/handlers/healings.ts'
import { driftOf, type InsightParts, patterns } from '../../features/insight/handlers/insight.ts'
import { decide, type ReflectParts, reflection } from '../../features/insight/handlers/reflect.ts'
import { type LateParts, late } from '../../features/late/handlers.ts'
import { type LiveParts, promote } from '../../features/live/handlers.ts'
import { type CancelParts, cancelTurn } from '../../features/messages/handlers/cancel.ts'
import { type MessagesParts, status } from '../../features/messages/handlers/messages.ts'
import { leaveNotice, type NoticesParts } from '../../features/messages/handlers/notices.ts'
import { type ReportParts, report } from '../../features/messages/handlers/report.ts'
import { type SendParts, send } from '../../features/messages/handlers/send.ts'
import { type SessionWaitParts, waitForTeam } from '../../features/messages/handlers/session-wait.ts'
import { type DebugParts, debug } from '../../features/operator/handlers/debug.ts'
import { type LoginsParts, logins, revoke as revokeLogin } from '../../features/operator/handlers/logins.ts'
import { getLog, type LogsParts } from '../../features/operator/handlers/logs.ts'
import { type RebootParts, reboot } from '../../features/operator/handlers/reboot.ts'
import { type ApproveParts, approve } from '../../features/permission/handlers/approve.ts'
import {
  answer as answerPermission,
  list as listPermissions,
  type PermissionsParts,
} from '../../features/permission/handlers/permissions.ts'
import { type RulesParts, revoke, rules } from '../../features/permission/handlers/rules.ts'
import { dismiss, type RetryParts, retry } from '../../features/retry/handlers.ts'
import { date } from '../../features/schedules/handlers/date.ts'
import { type SchedulesParts, scheduled } from '../../features/schedules/handlers/schedules.ts'
import { type SearchParts, searchFor } from '../../features/search/handlers.ts'
import { attach, type TakeOverParts } from '../../features/take-over/handlers.ts'
import { type ListTeamsParts, list as listTeams } from '../../features/teams/handlers/list-teams.ts'
import { sleep, type TeamsParts, teamsStatus, wake } from '../../features/teams/handlers/teams.ts'
import { type WakeAllParts, wakeAll } from '../../features/teams/handlers/wake-all.ts'
import { type TraceParts, trace, turns } from '../../features/traces/handlers/trace.ts'
import { type TurnTranscriptParts, transcript } from '../../features/transcripts/handlers/turn-transcript.ts'
import { give, type TypedParts } from '../../features/typed/handlers.ts'
import type { Handlers } from '../../kernel/call/operations.ts'
import { type HealthParts, health } from '../../views/health/handlers/health.ts'
import { type InboxParts, inbox } from '../../views/inbox/handlers.ts'
import { list as listInbox } from '../../views/inbox/list.ts'
import { switchboard } from '../../views/switchboard/handlers.ts'
import { overTime, type StatsOverTimeParts } from '../../views/usage/handlers/stats-over-time.ts'
import { type UsageParts, usage } from '../../views/usage/handlers/usage.ts'

/** What all operations work with. */
export type HandlerParts = AgentsParts &
  ApproveParts &
  AttachmentsParts &
  AuditParts &
  CancelParts &
  ChannelsParts &
  ChatToolsParts &
  ClusterParts &
  ConfigParts &
  DebugParts &
  DeleteParts &
  ForkParts &
  HealingsParts &
  HealthParts &
  InboxParts &
  InsightParts &
  InvokeAgentParts &
  LateParts &
  ListSessionsParts &
  ListTeamsParts &
  LiveParts &
  LoginsParts &
  LogsParts &
  MarkParts &
  MessagesParts &
  NoticesParts &
  PermissionsParts &
  RebootParts &
  ReflectParts &
  ReportParts &
  RetryParts &
  RulesParts &
  SchedulesParts &
  SearchParts &
  SendParts &
  SessionStatsParts &
  SessionTurnsParts &
  SessionWaitParts &
  StatsOverTimeParts &
  TakeOverParts &
  TeamsParts &
  TraceParts &
  TurnTranscriptParts &
  TypedParts &
  UsageParts &
  ViewerParts &
  WakeAllParts

/** What each operation does. */
export function handlersOf(parts: HandlerParts): Handlers {
  return {
    list_teams: (input, call) => listTeams(input, call, parts),
    team_status: (input, call) => teamsStatus(input, call, parts),
    team_wake: (input, call) => wake(input, call, parts),
    team_launch: (input, call) => wake(input, call, parts),
    team_wake_all: (input, call) => wakeAll(input, call, parts),
    team_sleep: (input, call) => sleep(input, call, parts),
    session_fork: (input, call) => forkSession(input, call, parts),
    session_attach: (input, call) => attach(input, call, parts),
    send_message: (input, call) => send(input, call, parts),
    ask_message: (input, call) => send(input, call, parts),
    quick_message: (input, call) => send({ ...input, timeout: -1 }, call, parts),
    message_status: (input, call) => status(input, call, parts),
    late_answers: (input, call) => late(input, call, parts),
    session_wait: (input, call) => waitForTeam(input, call, parts),
    return_value: (input, call) => give(input, call, parts),
    chat_reply: (input, call) => chatTools.reply(input, call, parts),
    chat_react: (input, call) => chatTools.react(input, call, parts),
    chat_send_file: (input, call) => chatTools.sendFile(input, call, parts),
    chat_history: (input, call) => chatTools.history(input, call, parts),
    retry_message: (input, call) => retry(input, call, parts),
    dismiss_failure: (input, call) => dismiss(input, call, parts),
    promote_turn: (input, call) => promote(input, call, parts),
    notify: (input, call) => leaveNotice(input, call, parts),
    session_report: (input, call) => report(input, call, parts),
    list_sessions: (input, call) => listSessions(input, call, parts),
    session_stats: (input, call) => stats(input, call, parts),
    get_inbox: (input) => inbox(input, parts),
    list_inbox: (input) => listInbox(input, parts),
    mark_inbox: (input) => mark(input, parts),
    get_switchboard: (input) => switchboard(input, parts),
    list_turns: (input) => turns(input, parts),
    trace_turn: (input, call) => trace(input, call, parts),
    stats_over_time: (input) => overTime(input, parts),
    session_turns: (input) => turnsOf(input, parts),
    turn_transcript: (input, call) => transcript(input, call, parts),
    get_attachment: (input, call) => attachment(input, call, parts),
    search_messages: (input) => searchFor(input, parts),
    list_schedules: () => scheduled(parts),
    get_usage: (input) => usage(input, parts),
    find_patterns: (input) => patterns(input, parts),
    list_drift: (input) => driftOf(input, parts),
    reflect: (input) => reflection(input, parts),
    list_healings: (input) => healings(input, parts),
    decide_suggestion: (input) => decide(input, parts),
    session_cancel: (input, call) => cancelTurn(input, call, parts),
    session_reboot: (input, call) => reboot(input, call, parts),
    session_delete: (input, call) => deleteSession(input, call, parts),
    list_permissions: (input, call) => listPermissions(input, call, parts),
    answer_permission: (input, call) => answerPermission(input, call, parts),
    list_rules: () => rules(parts),
    revoke_rule: (input) => revoke(input, parts),
    get_logs: (input) => getLog(input, parts),
    get_health: () => health(parts),
    get_date: () => date(parts.clock.now()),
    get_agent: (input, call) => agent(input, call, parts),
    list_agents: (input, call) => agents(input, call, parts),
    invoke_agent: (input, call) => invoke(input, call, parts),
    list_audit: (input) => audit(input, parts),
    verify_audit: (input) => verified(input, parts),
    list_logins: (_input, call) => logins(call, parts),
    revoke_login: (input) => revokeLogin(input, parts),
    list_channels: () => listChannels(parts),
    change_channel: (input) => changeChannel(input, parts),
    test_channel: (input) => testChannel(input, parts),
    list_skipped: (input) => listSkipped(input, parts),
    replay_skipped: (input) => replaySkipped(input, parts),
    viewer_overview: (_input, call) => viewer.overview(call, parts),
    viewer_messages: (input, call) => viewer.messages(input, call, parts),
    viewer_send: (input, call) => viewer.send(input, call, parts),
    viewer_stop: (input, call) => viewer.stop(input, call, parts),
    viewer_search: (input, call) => viewer.search(input, call, parts),
    cluster_status: () => clusterStatus(parts),
    drain_host: (input) => drainHost(input, parts),
    leave_cluster: (input) => leaveCluster(input, parts),
    forget_host: (input) => forgetHost(input, parts),
    forget_unreachable_hosts: (input) => forgetUnreachable(input, parts),
    keep_servers: () => keep(parts),
    get_config: () => getConfig(parts),
    check_config: (input) => checkConfig(input, parts),
    save_config: (input, call) => saveConfig(input, call, parts),
    debug_session: (input, call) => debug(input, call, parts),
    permissions__approve: (input, call) => approve(input, call, parts),
  }
}
