import { getHealth } from '../views/health/contract.ts'
import { getInbox, listInbox } from '../views/inbox/contract.ts'
import { getSwitchboard } from '../views/switchboard/contract.ts'
import { statsOverTime } from '../views/usage/contract/stats-over-time.ts'
import { getUsage } from '../views/usage/contract/usage.ts'
import type {} from './accounts/contract.ts'
import { getAgent } from './agents/contract/agents.ts'
import { invokeAgent, listAgents } from './agents/contract/invoke-agent.ts'
import { getAttachment } from './attachments/contract.ts'
import { listAudit, verifyAudit } from './audit/contract.ts'
import { changeChannel, listChannels, listSkipped, replaySkipped, testChannel } from './channels/contract/channels.ts'
import { chatHistory, chatReact, chatReply, chatSendFile } from './channels/contract/chat-tools.ts'
import { viewerMessages, viewerOverview, viewerSearch, viewerSend, viewerStop } from './channels/contract/viewer.ts'
import {
  clusterStatus,
  drainHost,
  forgetHost,
  forgetUnreachableHosts,
  keepServers,
  leaveCluster,
} from './cluster/contract.ts'
import { checkConfig, getConfig, saveConfig } from './configuration/contract.ts'
import { sessionFork } from './conversations/contract/fork.ts'
import { listSessions, sessionStats } from './conversations/contract/session-list.ts'
import { sessionCancel, sessionDelete, sessionReboot } from './conversations/contract/sessions.ts'
import { listEvents } from './events/contract.ts'
import { markInbox } from './inbox/contract.ts'
import type {} from './insight/contract/events.ts'
import { findPatterns, listDrift } from './insight/contract/insight.ts'
import { decideSuggestion, listHealings, reflect } from './insight/contract/reflect.ts'
import { lateAnswers } from './late/contract.ts'
import { promoteTurn } from './live/contract.ts'
import { askMessage, messageStatus, quickMessage, returnValue, sendMessage } from './messages/contract/messages.ts'
import { notify } from './messages/contract/notices.ts'
import { sessionReport } from './messages/contract/report.ts'
import { sessionWait } from './messages/contract/session-wait.ts'
import { sessionTurns, turnTranscript } from './messages/contract/turns.ts'
import { debugSession } from './operator/contract/debug.ts'
import { listLogins, revokeLogin } from './operator/contract/logins.ts'
import { getLogs } from './operator/contract/logs.ts'
import { enableCallback, listCallbacks, replayCallback, testCallback } from './outbox/contract.ts'
import { permissionsApprove } from './permission/contract/approve.ts'
import type {} from './permission/contract/events.ts'
import { answerPermission, listPermissions, sessionQuestions } from './permission/contract/permissions.ts'
import { listRules, revokeRule } from './permission/contract/rules.ts'
import { dismissFailure, retryMessage } from './retry/contract.ts'
import { getDate } from './schedules/contract/date.ts'
import type {} from './schedules/contract/events.ts'
import { listSchedules } from './schedules/contract/schedules.ts'
import { searchMessages } from './search/contract.ts'
import { sessionAttach } from './take-over/contract.ts'
import { listTeams, teamLaunch, teamSleep, teamStatus, teamWake, teamWakeAll } from './teams/contract.ts'
import { createToken, listTokens, revokeToken, rotateToken } from './tokens/contract.ts'
import { listTurns, traceTurn } from './traces/contract.ts'
import { listTriggers, testTrigger } from './triggers/contract.ts'

/**
 * Every operation of Iris, by name. `import type {}` adds the events of a feature if importing its operations does
 * not.
 */
export const contracts = {
  list_teams: listTeams,
  team_status: teamStatus,
  team_wake: teamWake,
  team_launch: teamLaunch,
  team_wake_all: teamWakeAll,
  team_sleep: teamSleep,
  session_fork: sessionFork,
  session_attach: sessionAttach,
  send_message: sendMessage,
  ask_message: askMessage,
  quick_message: quickMessage,
  message_status: messageStatus,
  late_answers: lateAnswers,
  session_wait: sessionWait,
  return_value: returnValue,
  chat_reply: chatReply,
  chat_react: chatReact,
  chat_send_file: chatSendFile,
  chat_history: chatHistory,
  retry_message: retryMessage,
  dismiss_failure: dismissFailure,
  promote_turn: promoteTurn,
  notify,
  session_report: sessionReport,
  list_sessions: listSessions,
  session_stats: sessionStats,
  get_inbox: getInbox,
  list_inbox: listInbox,
  mark_inbox: markInbox,
  get_switchboard: getSwitchboard,
  list_turns: listTurns,
  trace_turn: traceTurn,
  stats_over_time: statsOverTime,
  search_messages: searchMessages,
  list_events: listEvents,
  list_schedules: listSchedules,
  get_usage: getUsage,
  find_patterns: findPatterns,
  list_drift: listDrift,
  reflect,
  list_healings: listHealings,
  decide_suggestion: decideSuggestion,
  session_turns: sessionTurns,
  turn_transcript: turnTranscript,
  get_attachment: getAttachment,
  session_cancel: sessionCancel,
  session_reboot: sessionReboot,
  session_delete: sessionDelete,
  list_permissions: listPermissions,
  answer_permission: answerPermission,
  session_questions: sessionQuestions,
  list_rules: listRules,
  revoke_rule: revokeRule,
  get_logs: getLogs,
  get_health: getHealth,
  get_date: getDate,
  get_agent: getAgent,
  list_agents: listAgents,
  invoke_agent: invokeAgent,
  list_audit: listAudit,
  verify_audit: verifyAudit,
  list_logins: listLogins,
  revoke_login: revokeLogin,
  create_token: createToken,
  list_tokens: listTokens,
  rotate_token: rotateToken,
  revoke_token: revokeToken,
  list_callbacks: listCallbacks,
  test_callback: testCallback,
  replay_callback: replayCallback,
  enable_callback: enableCallback,
  list_channels: listChannels,
  change_channel: changeChannel,
  test_channel: testChannel,
  list_skipped: listSkipped,
  replay_skipped: replaySkipped,
  list_triggers: listTriggers,
  test_trigger: testTrigger,
  viewer_overview: viewerOverview,
  viewer_messages: viewerMessages,
  viewer_send: viewerSend,
  viewer_stop: viewerStop,
  viewer_search: viewerSearch,
  cluster_status: clusterStatus,
  drain_host: drainHost,
  leave_cluster: leaveCluster,
  forget_host: forgetHost,
  forget_unreachable_hosts: forgetUnreachableHosts,
  keep_servers: keepServers,
  get_config: getConfig,
  check_config: checkConfig,
  save_config: saveConfig,
  debug_session: debugSession,
  permissions__approve: permissionsApprove,
} as const

export type Contracts = typeof contracts
export type OperationName = keyof Contracts
export const operationNames = Object.keys(contracts) as OperationName[]

export function isOperation(name: string): name is OperationName {
  return (operationNames as readonly string[]).includes(name)
}
