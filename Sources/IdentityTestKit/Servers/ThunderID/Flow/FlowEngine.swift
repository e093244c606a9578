#if Tools
import Foundation
import IdentityKit

/// Runs flows and keeps their executions.
final class FlowEngine: Sendable {
    /// What becomes of a request that reaches the engine.
    private enum Progress: Sendable {
        case asks(FlowStep.View, APIError?)
        case completes(FlowStep.View)
        case fails(APIError)
    }

    /// A flow that calls more flows than this is running in circles.
    private static let deepestCall = 10

    private let applications: [LocalThunderIDServer.Application]
    private let tasks: FlowTaskRunner
    private let time: TimeSource
    private let executions = Locked<[String: FlowExecution]>([:])

    init(applications: [LocalThunderIDServer.Application], tasks: FlowTaskRunner, time: TimeSource) {
        self.applications = applications
        self.tasks = tasks
        self.time = time
    }

    /// Creates an execution for somebody else to run, as the authorization and the logout endpoint do.
    /// - Returns: its id. Its first call needs no challenge token.
    func prepare(
        _ type: FlowType, for application: LocalThunderIDServer.Application, authorizationRequestID: String? = nil
    ) -> String {
        let execution = create(
            type, application: application, isVerbose: true, authorizationRequestID: authorizationRequestID)
        executions.withLock { $0[execution.id] = execution }
        return execution.id
    }

    /// Creates an execution and runs it as far as it goes.
    func start(
        _ type: FlowType, for application: LocalThunderIDServer.Application?, isVerbose: Bool,
        inputs: [String: String], action: String?
    ) throws -> FlowStep {
        var execution = create(
            type, application: application, isVerbose: isVerbose, authorizationRequestID: nil)
        execution.take(inputs: inputs, action: action)
        let step = try run(&execution)
        if step.status != .complete { executions.withLock { $0[execution.id] = execution } }
        return step
    }

    /// Runs an execution further.
    ///
    /// The whole step happens under the lock: of two calls with one challenge token, one comes too late.
    func resume(
        _ id: String, challengeToken: String?, inputs: [String: String], action: String?
    ) throws -> FlowStep {
        try executions.withLock { executions in
            guard var execution = executions[id], time.now < execution.expiresAt else {
                executions[id] = nil
                throw ThunderIDFailure.api(status: 400, .invalidExecution)
            }
            guard isResumedByToken(execution) || execution.accepts(challenge: challengeToken) else {
                return FlowStep(executionID: id, status: .error, error: .challengeTokenInvalid)
            }
            execution.take(inputs: inputs, action: action)
            do {
                let step = try run(&execution)
                executions[id] = step.status == .complete ? nil : execution
                return step
            } catch {
                executions[id] = nil
                throw error
            }
        }
    }

    private func create(
        _ type: FlowType, application: LocalThunderIDServer.Application?, isVerbose: Bool,
        authorizationRequestID: String?
    ) -> FlowExecution {
        FlowExecution(
            id: LocalIdentifiers.uuid7(at: time.now), type: type, application: application, isVerbose: isVerbose,
            authorizationRequestID: authorizationRequestID, expiresAt: time.now + type.lifetime.timeInterval,
            positions: [.init(graph: type, node: FlowGraph.shipped(type).start)])
    }

    private func run(_ execution: inout FlowExecution) throws -> FlowStep {
        switch try advance(&execution) {
        case .asks(let view, let error):
            return FlowStep(
                executionID: execution.id, status: .incomplete, view: view,
                challengeToken: execution.rotateChallenge(), error: error)
        case .completes(let view):
            return FlowStep(
                executionID: execution.id, status: .complete, view: view, assertion: execution.assertion)
        case .fails(let error):
            return FlowStep(executionID: execution.id, status: .error, error: error)
        }
    }

    private func advance(_ execution: inout FlowExecution) throws -> Progress {
        var failure: APIError?
        var shown: FlowStep.View?
        while let node = currentNode(of: execution) {
            // What was shown waits for the person, unless the flow is over anyway.
            if let shown, !node.isEnd { return .asks(shown, nil) }
            switch node {
            case .prompt(let prompt):
                switch prompt.visit(&execution, isRetry: failure != nil) {
                case .ask(let view): return .asks(view, failure)
                case .proceed(let next): execution.move(to: next)
                }
                failure = nil
            case .message(let message, let components, let next):
                shown = .init(
                    components: execution.isVerbose ? components : nil, additionalData: ["message": message])
                execution.move(to: next)
            case .task(let task, let onSuccess, let onIncomplete, let onFailure):
                switch try tasks.run(task, in: &execution) {
                case .success:
                    execution.move(to: onSuccess)
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
                    throw ThunderIDFailure.api(status: 400, .callsTooDeep)
                }
                execution.move(to: onSuccess)
                execution.positions.append(.init(graph: type, node: FlowGraph.shipped(type).start))
            case .end:
                execution.positions.removeLast()
            }
        }
        return .completes(shown ?? .init())
    }

    private func currentNode(of execution: FlowExecution) -> FlowNode? {
        execution.positions.last.map { FlowGraph.shipped($0.graph).nodes[$0.node] ?? .end }
    }

    /// A token that came out of band stands in for the challenge token.
    private func isResumedByToken(_ execution: FlowExecution) -> Bool {
        if case .task(.verifyRecoveryToken, _, _, _) = currentNode(of: execution) { true } else { false }
    }
}

extension FlowExecution {
    fileprivate mutating func move(to node: String) {
        guard !positions.isEmpty else { return }
        positions[positions.count - 1].node = node
    }
}

extension FlowNode {
    fileprivate var isEnd: Bool {
        if case .end = self { true } else { false }
    }
}
#endif
