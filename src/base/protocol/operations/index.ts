import { getAgent } from './agents.ts'
import { permissionsApprove } from './approve.ts'
import { sessionAttach } from './attach.ts'
import { getAttachment } from './attachments.ts'
import { listAudit, verifyAudit } from './audit.ts'
import { changeChannel, listChannels, listSkipped, replaySkipped, testChannel } from './channels.ts'
import { chatHistory, chatReact, chatReply, chatSendFile } from './chat-tools.ts'
import { clusterStatus, drainHost, forgetHost, forgetUnreachableHosts, keepServers, leaveCluster } from './cluster.ts'
import { checkConfig, getConfig, saveConfig } from './config.ts'
import { getDate } from './date.ts'
import { debugSession } from './debug.ts'
import { sessionFork } from './fork.ts'
import { getHealth } from './health.ts'
import { getInbox } from './inbox.ts'
import { findPatterns, listDrift } from './insight.ts'
import { invokeAgent, listAgents } from './invoke-agent.ts'
import { lateAnswers } from './late-answers.ts'
import { promoteTurn } from './live.ts'
import { listLogins, revokeLogin } from './logins.ts'
import { getLogs } from './logs.ts'
import { askMessage, messageStatus, quickMessage, returnValue, sendMessage } from './messages.ts'
import { notify } from './notices.ts'
import { answerPermission, listPermissions } from './permissions.ts'
import { decideSuggestion, listHealings, reflect } from './reflect.ts'
import { sessionReport } from './report.ts'
import { dismissFailure, retryMessage } from './retry.ts'
import { listRules, revokeRule } from './rules.ts'
import { listSchedules } from './schedules.ts'
import { searchMessages } from './search.ts'
import { listSessions, sessionStats } from './session-list.ts'
import { sessionWait } from './session-wait.ts'
import { sessionCancel, sessionDelete, sessionReboot } from './sessions.ts'
import { statsOverTime } from './stats-over-time.ts'
import { getSwitchboard } from './switchboard.ts'
import { listTeams, teamLaunch, teamSleep, teamStatus, teamWake, teamWakeAll } from './teams.ts'
import { listTurns, traceTurn } from './trace.ts'
import { sessionTurns, turnTranscript } from './turns.ts'
import { getUsage } from './usage.ts'
import { viewerMessages, viewerOverview, viewerSearch, viewerSend, viewerStop } from './viewer.ts'

/** Every operation of Iris, by name. Without a handler for each in adapters/operations/, Iris does not compile. */
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
  get_switchboard: getSwitchboard,
  list_turns: listTurns,
  trace_turn: traceTurn,
  stats_over_time: statsOverTime,
  search_messages: searchMessages,
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
  list_channels: listChannels,
  change_channel: changeChannel,
  test_channel: testChannel,
  list_skipped: listSkipped,
  replay_skipped: replaySkipped,
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
