extension FlowPrompt {
    enum Visit: Sendable {
        case ask(FlowStep.View)
        case proceed(to: String)
        case refuse(APIError)
    }

    /// Asks for missing or invalid inputs and for a choice of action, or proceeds to the node of the chosen action
    /// (Backends/ThunderID.md#prompts). A chooser refuses an action that it did not offer (`FLC-1002`).
    /// - Parameter isRetry: whether a task has failed or refused the entered values since the last prompt. The values and the
    ///   choice for this prompt are then removed.
    func visit(_ execution: inout FlowExecution, isRetry: Bool) -> Visit {
        if isRetry { forget(in: &execution) }
        let offered = isChooser ? options(for: execution) : actions
        if isChooser, let sent = execution.chosenAction {
            let allowed = execution.allowedActions ?? Set(offered.map(\.ref))
            guard allowed.contains(sent) else {
                execution.chosenAction = nil
                return .refuse(.invalidAction)
            }
        }
        let sent = execution.chosenAction
        var chosen = offered.first { $0.ref == sent }
        if chosen == nil { execution.chosenAction = nil }

        let missing = missingInputs(of: chosen, in: execution)
        // An unknown action counts as no choice, but prevents an automatic choice, because the person did choose.
        if missing.isEmpty, sent == nil, choosesItself(offered, execution) { chosen = offered.first }
        if missing.isEmpty, let chosen { return proceed(by: chosen, &execution) }
        if isChooser { execution.allowedActions = Set(offered.map(\.ref)) }
        return .ask(view(missing, chosen == nil ? offered : [], &execution))
    }

    /// Whether the prompt proceeds by its only action although the person has chosen none. A chooser of sign-in methods does
    /// so if the request demanded authentication classes. Any other prompt does so if it has inputs. A prompt without inputs,
    /// such as a confirmation, waits for the person's choice.
    private func choosesItself(_ offered: [FlowAction], _ execution: FlowExecution) -> Bool {
        guard offered.count == 1 else { return false }
        return isChooser ? !execution.demands.authenticationClasses.isEmpty : !inputs.isEmpty
    }

    private func proceed(by action: FlowAction, _ execution: inout FlowExecution) -> Visit {
        let errors = action.inputs.flatMap { input in
            input.validation.filter { rule in execution.inputs[input.identifier].map { !rule.accepts($0) } ?? false }
                .map { FlowStep.FieldError(identifier: input.identifier, message: $0.complaint) }
        }
        execution.chosenAction = nil
        guard errors.isEmpty else {
            for error in errors { execution.inputs[error.identifier] = nil }
            var view = view(action.inputs, [action], &execution)
            view.fieldErrors = errors
            return .ask(view)
        }
        execution.requestedInputs = []
        execution.presentedInputs = []
        execution.allowedActions = nil
        if isChooser { execution.selectedClass = action.authenticationClass }
        return .proceed(to: action.nextNode)
    }

    private func view(
        _ inputs: [FlowInput], _ actions: [FlowAction], _ execution: inout FlowExecution
    ) -> FlowStep.View {
        execution.presentedInputs.formUnion(inputs.filter { !$0.isRequired }.map(\.identifier))
        var view = FlowStep.View(inputs: inputs, actions: actions)
        if execution.isVerbose {
            view.description = FlowStep.View.description(
                FlowComponents.trim(components, of: self, to: inputs, actions), asText: isDescribedAsText)
        }
        return view
    }

    private func forget(in execution: inout FlowExecution) {
        for input in inputs + execution.requestedInputs { execution.inputs[input.identifier] = nil }
        execution.chosenAction = nil
        execution.presentedInputs = []
    }

    /// Returns the sign-in methods that meet the demanded authentication classes, in the order of the demand. If none does,
    /// returns all methods.
    private func options(for execution: FlowExecution) -> [FlowAction] {
        let demanded = execution.demands.authenticationClasses
        let fitting = demanded.flatMap { name in actions.filter { $0.authenticationClass == name } }
        return fitting.isEmpty ? actions : fitting
    }

    /// Returns the inputs that the prompt still has to ask for:
    /// - a required input of the prompt that has no value, not even an empty one
    /// - an optional input of the prompt that has no value, not even an empty one, and was not shown before
    /// - an input that a task requested, if it has no value or an empty one
    private func missingInputs(of chosen: FlowAction?, in execution: FlowExecution) -> [FlowInput] {
        // The options of a chooser require inputs only after they are chosen.
        let declared = chosen?.inputs ?? (isChooser ? [] : inputs)
        var missing = declared.filter { input in
            execution.inputs[input.identifier] == nil
                && (input.isRequired || !execution.presentedInputs.contains(input.identifier))
        }
        for requested in execution.requestedInputs {
            if let index = missing.firstIndex(where: { $0.identifier == requested.identifier }) {
                missing[index].options = requested.options
            } else if execution.value(requested.identifier) == nil {
                missing.append(inputs.first { $0.identifier == requested.identifier } ?? requested)
            }
        }
        return missing
    }
}
