#if Tools
import Foundation
import IdentityKit

extension FlowPrompt {
    /// What a visit to a prompt leads to.
    enum Visit: Sendable {
        case ask(FlowStep.View)
        case proceed(to: String)
    }

    /// Asks for what is missing, or goes on when nothing is (ThunderID prompt semantics).
    /// - Parameter isRetry: the step after this prompt failed, so its values and the choice are forgotten.
    func visit(_ execution: inout FlowExecution, isRetry: Bool) -> Visit {
        if isRetry { forget(in: &execution) }
        let sent = execution.chosenAction
        var chosen = actions.first { $0.ref == sent }
        if chosen == nil { execution.chosenAction = nil }

        let missing = missingInputs(of: chosen, in: execution)
        // An unknown action counts as none chosen, but the person did choose, so nothing is chosen for them.
        if missing.isEmpty, sent == nil, actions.count == 1, !inputs.isEmpty { chosen = actions.first }
        if missing.isEmpty, let chosen {
            execution.chosenAction = nil
            execution.requestedInputs = []
            return .proceed(to: chosen.nextNode)
        }

        var view = FlowStep.View(inputs: missing, actions: chosen == nil ? actions : [])
        if execution.isVerbose {
            view.components = FlowComponents.trim(components, of: self, to: view.inputs, view.actions)
        }
        return .ask(view)
    }

    private func forget(in execution: inout FlowExecution) {
        for input in inputs + execution.requestedInputs { execution.inputs[input.identifier] = nil }
        execution.chosenAction = nil
    }

    /// A declared input is there when its key is; one that a task asked for must also have content.
    private func missingInputs(of chosen: FlowAction?, in execution: FlowExecution) -> [FlowInput] {
        var missing = (chosen?.inputs ?? inputs).filter { execution.inputs[$0.identifier] == nil }
        for requested in execution.requestedInputs {
            if let index = missing.firstIndex(where: { $0.identifier == requested.identifier }) {
                missing[index].options = requested.options
            } else if (execution.inputs[requested.identifier] ?? "").isEmpty {
                missing.append(inputs.first { $0.identifier == requested.identifier } ?? requested)
            }
        }
        return missing
    }
}
#endif
