import Foundation
import IdentityKit

/// Runs flows and keeps their executions.
final class FlowEngine: Sendable {
    private enum Progress: Sendable {
        case asks(FlowStep.View, APIError?)
        case completes(FlowStep.View)
        case fails(APIError)
    }

    /// The maximum depth of calls between flows. Without it, flows that call each other would never end.
    private static let deepestCall = 10

    private let library: FlowLibrary
    private let tasks: FlowTaskRunner
    private let time: TimeSource
    private let executions = Locked<[String: FlowExecution]>([:])
    /// The latest 100 executions that have ended, oldest first.
    private let ended = Locked(Recent<LocalServerReport.Flow>(100))

    init(library: FlowLibrary, tasks: FlowTaskRunner, time: TimeSource) {
        (self.library, self.tasks, self.time) = (library, tasks, time)
    }

    /// Creates an execution for the authorization, backchannel or logout endpoint. A hosted page runs it later.
    /// - Returns: the identifier of the execution. The first call to continue it needs no challenge token.
    func prepare(
        _ type: FlowType, for application: LocalThunderIDServer.Application, demands: FlowDemands = FlowDemands()
    ) -> String {
        forgetAbandoned()
        let execution = create(type, application: application, isVerbose: true, demands: demands)
        executions.withLock { $0[execution.id] = execution }
        return execution.id
    }

    /// Creates an execution and runs it until it needs an answer, completes or fails. The inputs are used from the start.
    /// There is no parameter for an action, because no action was offered yet.
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

    /// Continues an execution until it needs another answer, completes or fails.
    ///
    /// The executions stay locked during the whole call, so that only one of two calls with the same challenge token
    /// succeeds.
    /// - Returns: the response to the call, with the status `ERROR` if the flow fails or the challenge token is not the latest.
    /// - Throws: the error `FES-1004` for an unknown or expired execution, `FES-1013` if calls between flows are nested too
    ///   deeply, or an error of signing an assertion. The execution ends if the error is thrown while the flow runs.
    func resume(
        _ id: String, challengeToken: String?, inputs: [String: String], action: String?, from caller: FlowCaller
    ) throws -> FlowStep {
        try executions.withLock { executions in
            guard var execution = executions[id], time.now < execution.expiresAt else {
                if let expired = executions.removeValue(forKey: id) { noteAbandoned(expired) }
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
                noteEnd(execution.report(.failed, detail: execution.failure))
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

    /// Whether a wrong invite token in the latest call ended the flow (`FET-1073`). Only a flow of an authorization or
    /// backchannel request ends this way. A flow that the client itself started can continue with the right token.
    private func isEndedByLink(_ execution: FlowExecution) -> Bool {
        execution.demands.authorizationRequestID != nil && execution.failure == APIError.invalidInviteToken.code
    }

    private func noteEnd(_ flow: LocalServerReport.Flow) { ended.withLock { $0.append(flow) } }

    /// Removes expired executions and records their ends for the report. Each start of an execution calls this method, so that
    /// no timer is needed.
    private func forgetAbandoned() {
        let now = time.now
        let late = executions.withLock { executions in
            let late = executions.values.filter { now >= $0.expiresAt }
            for execution in late { executions[execution.id] = nil }
            return late
        }
        for execution in late.sorted(by: { $0.expiresAt < $1.expiresAt }) { noteAbandoned(execution) }
    }

    private func noteAbandoned(_ execution: FlowExecution) {
        noteEnd(execution.report(execution.failure == nil ? .expired : .failed, detail: execution.failure))
    }

    /// Returns the application and the expiry of an execution; `nil` if the execution is unknown or has expired. The
    /// application's identifier is empty for a flow without an application.
    func standing(of id: String) -> (applicationID: String, expiresAt: Date)? {
        executions.withLock { $0[id] }.flatMap { execution in
            time.now < execution.expiresAt ? (execution.application?.id ?? "", execution.expiresAt) : nil
        }
    }

    /// Ends an execution because the person cancelled it.
    /// - Returns: an assertion that reports the cancellation to the client (`end_user_error`); `nil` for an unknown
    ///   execution, and for a flow without an authorization or backchannel request.
    func abandon(_ id: String) throws -> String? {
        guard let execution = executions.withLock({ $0.removeValue(forKey: id) }) else { return nil }
        noteEnd(execution.report(.failed, detail: "cancelled"))
        return try tasks.errorAssertion("The person did not sign in", for: execution)
    }

    /// The stored executions, newest first, then the latest 100 that have ended, last ended first. An expired execution stays
    /// stored until another one starts, or until a call tries to continue it.
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

    /// Returns the step for a failure. In a flow of an authorization or backchannel request, the step has an error
    /// assertion, which reports the failure to the client.
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
            // After a message, wait for the next call, unless the flow ends.
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
                let progress = try perform(
                    task, onSuccess: onSuccess, onIncomplete: onIncomplete, onFailure: onFailure, in: &execution,
                    failure: &failure)
                if let progress { return progress }
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

    /// Runs a task and moves the execution to the node for the task's outcome.
    /// - Parameter failure: the error that the next prompt shows. If the task failed or needs inputs, and the execution moves
    ///   on, this is set to the task's error, or to `nil` if the task has none. A success leaves it unchanged.
    /// - Returns: `nil` if the execution moved on. The call ends with any other result, because the browser must visit an
    ///   address, or because there is no node for the outcome.
    private func perform(
        _ task: FlowTask, onSuccess: String, onIncomplete: String?, onFailure: String?,
        in execution: inout FlowExecution, failure: inout APIError?
    ) throws -> Progress? {
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
        return nil
    }

    /// Whether the execution waits for a token that the person received out of band, such as in an emailed link. The next
    /// call then needs no challenge token.
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
