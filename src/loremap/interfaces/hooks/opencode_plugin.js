// Loremap in OpenCode, made by `lore connect`. Hands what happens in a session to the resident and
// what it answers to the model. Whatever goes wrong here, OpenCode goes on as if it were not there.
import { spawn, spawnSync } from "node:child_process"

const LAUNCHER = "@LAUNCHER@"
const ASKED = "@ASKED@"
const COMMANDS = { "@COMMANDS@": "" }
// OpenCode runs what stands in !`…` once what was typed is in the template: no word comes to this
// place, and what was typed is put in afterwards.
const TEMPLATE = "Loremap $1000000"
const SLASH = new RegExp(`^"?/(${Object.keys(COMMANDS).join("|")})(?:\\s+([^]*?))?"?\\s*$`)
const WAIT_MS = 3000
const LAST_WORD_MS = 1000
const MAX_OUTPUT = 100000
const TITLE = /^You are a title generator/
const OPTIONS = { windowsHide: true, shell: process.platform === "win32" }
const program = OPTIONS.shell ? `"${LAUNCHER}"` : LAUNCHER
const running = (globalThis[Symbol.for("loremap.opencode")] ??= new Set())

const read = (bytes) => {
  try {
    return JSON.parse(bytes) ?? {}
  } catch {
    return {}
  }
}

const told = (message) =>
  new Promise((resolve) => {
    const child = spawn(program, ["hook", "opencode", message.event], {
      ...OPTIONS,
      stdio: ["pipe", "pipe", "ignore"],
    })
    const answer = []
    const end = () => {
      clearTimeout(timer)
      resolve(read(Buffer.concat(answer).toString("utf8")))
    }
    const timer = setTimeout(() => {
      child.kill()
      resolve({})
    }, WAIT_MS)
    child.on("error", end)
    child.on("close", end)
    child.stdout.on("data", (bytes) => answer.push(bytes))
    child.stdin.on("error", () => {})
    child.stdin.end(JSON.stringify(message))
  }).catch(() => ({}))

// OpenCode may end before an answer is read, so the last word waits until it was taken.
const toldAtLast = (message) => {
  try {
    spawnSync(program, ["hook", "opencode", message.event], {
      ...OPTIONS,
      input: JSON.stringify(message),
      timeout: LAST_WORD_MS,
      stdio: ["pipe", "ignore", "ignore"],
    })
  } catch {}
}

const textOf = (output) => {
  const parts = Array.isArray(output.content) ? output.content : []
  const text = output.output ?? parts.map((part) => part.text ?? "").join("\n")
  return String(text).slice(0, MAX_OUTPUT)
}

const add = (output, context) => {
  if (Array.isArray(output.content)) output.content.push({ type: "text", text: context })
  if (typeof output.output === "string") output.output += `\n\n${context}`
}

const isTyped = (part) => part.type === "text" && !part.synthetic

// What a slash command asks of the model; the user goes on to see what they typed.
const asked = (parts) => {
  const [part, ...others] = parts.filter(isTyped)
  const [, words, typed = ""] = (!others.length && SLASH.exec(part?.text ?? "")) || []
  return words && ASKED.replaceAll("{words}", words).replace("{typed}", () => typed)
}

export const Loremap = async ({ directory }) => {
  if (running.has(directory)) return {}
  running.add(directory)
  const parents = new Map()
  const created = new Set()
  const blocks = new Map()
  const removed = new Map()
  const said = new Map()
  const started = new Map()
  const own = new Set()

  const message = (event, id, more = {}) => {
    const parent = parents.get(id)
    const who = parent ? { session_id: parent, agent_id: id } : { session_id: id }
    return { event, cwd: directory, ...who, ...more }
  }
  const begin = async (id, source) => {
    const answer = await told(message("SessionStart", id, { source }))
    if (answer.context || !blocks.has(id)) blocks.set(id, answer.context ?? "")
  }
  const prompted = async (id, input, output) => {
    const prompt = output.parts
      .filter(isTyped)
      .map((part) => part.text)
      .join("\n")
    const more = {
      prompt,
      prompt_id: output.message.id,
      agent_type: input.agent,
      taken_back: removed.get(id) ?? [],
    }
    removed.delete(id)
    if (parents.has(id)) return told(message("SubagentStart", id, more))
    // Asked again while there is none: the resident may not have been up at the start.
    if (!blocks.get(id)) await begin(id, created.has(id) && !blocks.has(id) ? "startup" : "resume")
    return told(message("UserPromptSubmit", id, more))
  }
  const happened = {
    // After an undo, just before the next prompt: what was said in these is said no more.
    "message.removed": ({ sessionID: id, messageID }) => {
      removed.set(id, [...(removed.get(id) ?? []), messageID].slice(-200))
    },
    "session.created": ({ info }) => {
      created.add(info.id)
      if (info.parentID) parents.set(info.id, info.parentID)
    },
    "session.idle": ({ sessionID: id }) => {
      const event = parents.has(id) ? "SubagentStop" : "Stop"
      toldAtLast(message(event, id, { last_assistant_message: said.get(id) ?? "" }))
    },
    "session.compacted": async ({ sessionID: id }) => {
      await told(message("PostCompact", id, { compact_summary: said.get(id) ?? "" }))
      if (!parents.has(id)) await begin(id, "compact")
    },
    "session.deleted": ({ info }) => {
      if (blocks.delete(info.id)) toldAtLast(message("SessionEnd", info.id))
    },
  }

  return {
    event: async ({ event }) => {
      try {
        await happened[event.type]?.(event.properties)
      } catch {}
    },
    "chat.message": async (input, output) => {
      try {
        const id = input.sessionID
        const last = output.parts.at(-1)
        const wish = asked(output.parts)
        const { context } = await prompted(id, input, output)
        for (const [end, text] of Object.entries({ y: wish, z: context })) {
          if (!text || !last) continue
          const place = { id: `${last.id}${end}`, sessionID: id, messageID: output.message.id }
          output.parts.push({ ...place, type: "text", text, synthetic: true })
        }
      } catch {}
    },
    config: async (config) => {
      try {
        config.command ??= {}
        for (const [name, description] of Object.entries(COMMANDS)) {
          if (config.command[name]) continue
          config.command[name] = { description, template: TEMPLATE }
          own.add(name)
        }
      } catch {}
    },
    "command.execute.before": async (input, output) => {
      if (!own.has(input.command)) return
      const files = output.parts.filter((part) => part.type === "file")
      // `opencode run` puts quotes round what its caller had quoted.
      const text = `/${input.command} ${input.arguments.replace(/^"([^"]*)"$/, "$1")}`.trim()
      output.parts.splice(0, output.parts.length, { type: "text", text }, ...files)
    },
    "experimental.chat.system.transform": async (input, output) => {
      try {
        const block = blocks.get(input.sessionID)
        if (block && !output.system.some((text) => TITLE.test(text))) output.system.push(block)
      } catch {}
    },
    "experimental.text.complete": async (input, output) => {
      said.set(input.sessionID, output.text)
    },
    "experimental.session.compacting": async (input) => {
      await told(message("PreCompact", input.sessionID, { trigger: "auto" }))
    },
    "tool.execute.before": async (input, output) => {
      started.set(input.callID, Date.now())
      const call = { tool_name: input.tool, tool_use_id: input.callID, tool_input: output.args }
      const { hold } = await told(message("PreToolUse", input.sessionID, call))
      if (hold) throw new Error(hold)
    },
    "tool.execute.after": async (input, output) => {
      try {
        const since = started.get(input.callID)
        started.delete(input.callID)
        const { context } = await told(
          message("PostToolUse", input.sessionID, {
            tool_name: input.tool,
            tool_use_id: input.callID,
            tool_input: input.args,
            tool_output: textOf(output),
            exit_code: output.metadata?.exit,
            duration_ms: since ? Date.now() - since : undefined,
          }),
        )
        if (context) add(output, context)
      } catch {}
    },
    dispose: async () => {
      running.delete(directory)
      for (const id of blocks.keys()) toldAtLast(message("SessionEnd", id))
      blocks.clear()
    },
  }
}
