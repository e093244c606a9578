import Foundation
import IdentityKit

/// Runs flows and keeps their executions.
final class FlowEngine: Sendable {
    private enum Progress: Sendable {
        case asks(FlowStep.View, APIError?)
        case completes(FlowStep.View)
        case fails(APIError)
    }

    /// The greatest depth of nested flows; beyond it a flow must be calling itself.
    private static let deepestCall = 10

    private let library: FlowLibrary
    private let tasks: FlowTaskRunner
    private let time: TimeSource
    private let executions = Locked<[String: FlowExecution]>([:])
    /// The latest executions that have ended, oldest first.
    private let ended = Locked(Recent<LocalServerReport.Flow>(100))

    init(library: FlowLibrary, tasks: FlowTaskRunner, time: TimeSource) {
        (self.library, self.tasks, self.time) = (library, tasks, time)
    }

    /// Creates an execution to be run later, for the authorization and the logout endpoints.
    /// - Returns: its identifier. Its first call needs no challenge token.
    func prepare(
        _ type: FlowType, for application: LocalThunderIDServer.Application, demands: FlowDemands = FlowDemands()
    ) -> String {
        forgetAbandoned()
        let execution = create(type, application: application, isVerbose: true, demands: demands)
        executions.withLock { $0[execution.id] = execution }
        return execution.id
    }

    /// Creates an execution and runs it until it needs an answer. Submitted values are used from the start; an action
    /// is ignored, because none was offered yet.
    func start(
        _ type: FlowType, for application: LocalThunderIDServer.Application?, isVerbose: Bool,
        inputs: [String: String], from caller: FlowCaller
    ) throws -> FlowStep {
        forgetAbandoned()
        var execution = create(type, application: application, isVerbose: isVerbose, demands: FlowDemands())
        execution.take(inputs: inputs, action: nil, from: caller)
        let step = try run(&execution)
        if step.status != .complete { executions.withLock { $0[execution.id] = execution } }
        return step
    }

    /// Continues an execution.
    ///
    /// The whole step holds the lock, so that of two calls with the same challenge token one fails.
    func resume(
        _ id: String, challengeToken: String?, inputs: [String: String], action: String?, from caller: FlowCaller
    ) throws -> FlowStep {
        try executions.withLock { executions in
            guard var execution = executions[id], time.now < execution.expiresAt else {
                executions[id] = nil
                throw ThunderIDServerError.api(status: 400, .invalidExecution)
            }
            guard isResumedByToken(execution) || execution.accepts(challenge: challengeToken) else {
                return try failure(.challengeTokenInvalid, of: execution)
            }
            execution.take(inputs: inputs, action: action, from: caller)
            do {
                let step = try run(&execution)
                let isOver = step.status == .complete || isEndedByLink(execution)
                if isOver, step.status != .complete { noteEnd(execution.report(.failed, detail: execution.failure)) }
                executions[id] = isOver ? nil : execution
                return step
            } catch {
                executions[id] = nil
                throw error
            }
        }
    }

    private func create(
        _ type: FlowType, application: LocalThunderIDServer.Application?, isVerbose: Bool, demands: FlowDemands
    ) -> FlowExecution {
        FlowExecution(
            id: LocalIdentifiers.uuid7(at: time.now), type: type, application: application, isVerbose: isVerbose,
            demands: demands, expiresAt: time.now + type.lifetime.timeInterval,
            positions: [library.start(of: type)])
    }

    private func run(_ execution: inout FlowExecution) throws -> FlowStep {
        var step: FlowStep
        execution.failure = nil
        switch try advance(&execution) {
        case .asks(let view, let error):
            step = FlowStep(
                executionID: execution.id, status: .incomplete, view: view,
                challengeToken: execution.rotateChallenge(), error: error)
        case .completes(let view):
            step = FlowStep(executionID: execution.id, status: .complete, view: view, assertion: execution.assertion)
            noteEnd(execution.report(.completed, detail: nil))
        case .fails(let error):
            execution.failure = error.code
            return try failure(error, of: execution)
        }
        step.additionalData = execution.additionalData
        step.sessionChange = execution.sessionChange
        return step
    }

    /// Whether a wrong token of a mailed link ends the flow: it ends one of an authorization request, while a direct
    /// flow can continue with the right token.
    private func isEndedByLink(_ execution: FlowExecution) -> Bool {
        execution.demands.authorizationRequestID != nil && execution.failure == APIError.invalidInviteToken.code
    }

    private func noteEnd(_ flow: LocalServerReport.Flow) { ended.withLock { $0.append(flow) } }

    /// Forgets expired executions. Called at each start of an execution, so that no timer is needed.
    private func forgetAbandoned() {
        let now = time.now
        let late = executions.withLock { executions in
            let late = executions.values.filter { now >= $0.expiresAt }
            for execution in late { executions[execution.id] = nil }
            return late
        }
        for execution in late.sorted(by: { $0.expiresAt < $1.expiresAt }) {
            noteEnd(execution.report(execution.failure == nil ? .expired : .failed, detail: execution.failure))
        }
    }

    /// The application and the expiry of an execution in progress.
    func standing(of id: String) -> (applicationID: String, expiresAt: Date)? {
        executions.withLock { $0[id] }.flatMap { execution in
            time.now < execution.expiresAt ? (execution.application?.id ?? "", execution.expiresAt) : nil
        }
    }

    /// Ends an execution because the person cancelled it.
    /// - Returns: an assertion of the cancellation for the authorization request, if there is one (`end_user_error`).
    func abandon(_ id: String) throws -> String? {
        guard let execution = executions.withLock({ $0.removeValue(forKey: id) }) else { return nil }
        noteEnd(execution.report(.failed, detail: "cancelled"))
        return try tasks.errorAssertion("The person did not sign in", for: execution)
    }

    /// The executions in progress, then those that ended, each newest first.
    var report: [LocalServerReport.Flow] {
        let now = time.now
        let onTheirWay = executions.withLock { Array($0.values) }.sorted { $0.id > $1.id }.map { execution in
            let state: LocalServerReport.Flow.State =
                if now >= execution.expiresAt { .expired } else if execution.failure != nil { .failed } else {
                    .inProgress
                }
            return execution.report(state, detail: execution.failure ?? execution.positions.last?.node)
        }
        return onTheirWay + ended.withLock { $0.values }.reversed()
    }

    /// The step for a failure, which an authorization request learns by an assertion.
    private func failure(_ error: APIError, of execution: FlowExecution) throws -> FlowStep {
        var step = FlowStep(executionID: execution.id, status: .error, error: error)
        step.errorAssertion = try tasks.errorAssertion(error.description, for: execution)
        return step
    }

    private func advance(_ execution: inout FlowExecution) throws -> Progress {
        var failure: APIError?
        var shown: FlowStep.View?
        while let position = execution.positions.last {
            let node = library.node(at: position)
            // The prompt is shown and waits for the person, unless the flow is at its end.
            if let shown, !node.isEnd { return .asks(shown, nil) }
            switch node {
            case .prompt(let prompt):
                switch prompt.visit(&execution, isRetry: failure != nil) {
                case .ask(let view): return .asks(view, failure)
                case .proceed(let next): execution.move(to: next)
                case .refuse(let error): return .fails(error)
                }
                failure = nil
            case .message(let message, let components, let next):
                var view = FlowStep.View(message: message)
                if execution.isVerbose { view.description = FlowStep.View.description(components) }
                shown = view
                execution.move(to: next)
            case .task(let task, let onSuccess, let onIncomplete, let onFailure):
                switch try tasks.run(task, in: &execution) {
                case .success:
                    execution.move(to: onSuccess)
                case .redirects(let url, let inputs):
                    return .asks(.init(inputs: inputs, redirectURL: url), nil)
                case .needs(let inputs, let error):
                    guard let onIncomplete else { return .asks(.init(inputs: inputs), error) }
                    execution.requestedInputs = inputs
                    failure = error
                    execution.move(to: onIncomplete)
                case .failure(let error):
                    guard let onFailure else { return .fails(error) }
                    failure = error
                    execution.move(to: onFailure)
                }
            case .call(let type, let onSuccess):
                guard execution.positions.count <= Self.deepestCall else {
                    throw ThunderIDServerError.api(status: 400, .callsTooDeep)
                }
                execution.move(to: onSuccess)
                execution.positions.append(library.start(of: type))
            case .end:
                execution.positions.removeLast()
            }
        }
        return .completes(shown ?? .init())
    }

    /// Whether a token received out of band, such as one of a mailed link, replaces the challenge token.
    private func isResumedByToken(_ execution: FlowExecution) -> Bool {
        guard let position = execution.positions.last, case .task(let task, _, _, _) = library.node(at: position) else {
            return false
        }
        return task.isResumedByToken
    }
}

extension FlowExecution {
    fileprivate func report(_ state: LocalServerReport.Flow.State, detail: String?) -> LocalServerReport.Flow {
        LocalServerReport.Flow(
            id: id, kind: type.rawValue, client: application?.clientID, person: userID, state: state, detail: detail)
    }

    fileprivate mutating func move(to node: String) {
        guard !positions.isEmpty else { return }
        positions[positions.count - 1].node = node
    }
}

extension FlowNode {
    fileprivate var isEnd: Bool { if case .end = self { true } else { false } }
}
