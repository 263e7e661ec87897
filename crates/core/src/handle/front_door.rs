//! The front door: `tool_use` blocks in, `tool_result` blocks out. It never panics, and no text of it holds a host's
//! path, a name in the bucket or a backend's message; those go to the log.

use ::base64::{Engine, engine::general_purpose::STANDARD};
use serde_json::{Map, Value, json};

use super::Store;
use crate::{
    Error, Result,
    command::{Command, Reply, TOOL_NAME},
};

/// The most calls that one message may hold.
const MOST_CALLS: usize = 1_000;

/// One call of a turn, as far as it could be read.
enum Call {
    Command(Command),
    Bad(Reply),
}

impl Call {
    fn parse(input: &Value) -> Self {
        match Command::parse(input) {
            Ok(command) => Self::Command(command),
            Err(text) => Self::Bad(Reply::Error(text)),
        }
    }

    fn parse_block(block: &Value) -> Self {
        if is_bare(block) {
            return Self::parse(block);
        }
        match block.get("name") {
            Some(name) if name != TOOL_NAME => Self::Bad(Reply::wrong_tool()),
            _ => Self::parse(block.get("input").unwrap_or(&Value::Null)),
        }
    }
}

impl Store {
    /// Answers one `tool_use` block with its `tool_result` block.
    ///
    /// An error goes back as a text with `"is_error": true`; a success has no `is_error`.
    pub async fn handle(&self, tool_use: &Value) -> Value {
        let replies = self.answer(vec![Call::parse_block(tool_use)]).await;
        replies.first().map(|reply| tool_result(tool_use, reply)).unwrap_or_default()
    }

    /// Answers the `tool_use` blocks of one turn, in the order in which they came: a message's whole `content` may be
    /// given, since blocks of another type, such as `text`, are passed over. They are queued together: an error in one
    /// does not stop the next, and what changes the store goes in one commit. A bare input among them is answered as by
    /// [`Store::handle_input`].
    pub async fn handle_turn(&self, blocks: &[Value]) -> Vec<Value> {
        let calls: Vec<&Value> = blocks.iter().filter(|block| !is_of_another_type(block)).collect();
        let replies = self.answer(calls.iter().map(|block| Call::parse_block(block)).collect()).await;
        calls.into_iter().zip(replies).map(|(block, reply)| tool_result(block, &reply)).collect()
    }

    /// Answers the bare input of a tool call, `{"command": …}`, with `{"content": …}` and, for an error,
    /// `"is_error": true`.
    pub async fn handle_input(&self, input: &Value) -> Value {
        let replies = self.answer(vec![Call::parse(input)]).await;
        Value::Object(replies.first().map(content).unwrap_or_default())
    }

    /// Answers a message of any of the forms that a turn can take: a `tool_use` block (as [`Store::handle`]), a bare
    /// input (as [`Store::handle_input`]), or an array of at most 1,000 blocks, of which the calls are
    /// answered (as [`Store::handle_turn`]).
    pub async fn handle_message(&self, message: &Value) -> Value {
        match message {
            Value::Array(blocks) if blocks.len() > MOST_CALLS => {
                Value::Object(content(&Reply::too_many_calls(MOST_CALLS)))
            }
            Value::Array(blocks) => Value::Array(self.handle_turn(blocks).await),
            Value::Object(fields) if fields.contains_key("input") => self.handle(message).await,
            _ => self.handle_input(message).await,
        }
    }

    /// Deletes everything, as the method of the same name of the official helpers does.
    ///
    /// # Errors
    /// Those of [`Store::execute`].
    pub async fn clear_all_memory(&self) -> Result<Reply> {
        self.execute(Command::Clear).await
    }

    async fn answer(&self, calls: Vec<Call>) -> Vec<Reply> {
        let commands: Vec<Command> = calls
            .iter()
            .filter_map(|call| match call {
                Call::Command(command) => Some(command.clone()),
                Call::Bad(_) => None,
            })
            .collect();
        let mut answers = self.execute_turn(commands).await.into_iter();
        calls
            .into_iter()
            .map(|call| match call {
                Call::Bad(reply) => self.replica.hidden(reply),
                Call::Command(command) => match answers.next() {
                    Some(Ok(reply)) => reply,
                    Some(Err(error)) => for_the_model(&error, &command),
                    None => Reply::unreachable(),
                },
            })
            .collect()
    }
}

/// What the model reads of a failure that is not its own. The operator reads the rest in the log.
fn for_the_model(error: &Error, command: &Command) -> Reply {
    tracing::error!("{error}");
    match error {
        Error::OutcomeUnknown { .. } => Reply::outcome_unknown(command),
        Error::Backend { .. } | Error::NoRandomness => Reply::unreachable(),
        _ => Reply::unusable(),
    }
}

/// Whether this is the bare input of a call, and no block around it.
fn is_bare(call: &Value) -> bool {
    call.get("command").is_some()
}

/// Whether this is a block that is no call, and says so.
fn is_of_another_type(block: &Value) -> bool {
    !is_bare(block) && block.get("type").and_then(Value::as_str).is_some_and(|of| of != "tool_use")
}

fn tool_result(tool_use: &Value, reply: &Reply) -> Value {
    if is_bare(tool_use) {
        return Value::Object(content(reply));
    }
    let mut block = Map::new();
    block.insert("type".into(), "tool_result".into());
    let id = tool_use.get("id").and_then(Value::as_str).unwrap_or_default();
    block.insert("tool_use_id".into(), id.into());
    block.extend(content(reply));
    Value::Object(block)
}

fn content(reply: &Reply) -> Map<String, Value> {
    let mut answer = Map::new();
    match reply {
        Reply::Text(text) => {
            answer.insert("content".into(), text.as_str().into());
        }
        Reply::Restored(restored) => {
            answer.insert("content".into(), restored.text().into());
        }
        Reply::Deleted(paths) => {
            answer.insert("content".into(), Reply::deleted_text(paths).into());
        }
        Reply::Image { media_type, data } => {
            let source = json!({ "type": "base64", "media_type": media_type, "data": STANDARD.encode(data) });
            answer.insert("content".into(), json!([{ "type": "image", "source": source }]));
        }
        Reply::Error(text) => {
            answer.insert("content".into(), text.as_str().into());
            answer.insert("is_error".into(), true.into());
        }
    }
    answer
}

/// The definition of the tool for a request's `tools`, with an optional `cache_control`.
pub fn tool_definition(cache_control: Option<Value>) -> Value {
    let mut definition = json!({ "type": "memory_20250818", "name": TOOL_NAME });
    if let (Some(cache_control), Some(fields)) = (cache_control, definition.as_object_mut()) {
        fields.insert("cache_control".into(), cache_control);
    }
    definition
}
