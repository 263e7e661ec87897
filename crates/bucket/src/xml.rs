//! Small XML answers of providers, as trees.

use quick_xml::{Reader, events::Event};

/// How deep and how large an answer may be: far above what providers send.
const DEEPEST: usize = 16;
const MOST: usize = 20_000;

/// An element: its name without a namespace, its text, and what it holds.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Element {
    name: String,
    text: String,
    children: Vec<Self>,
}

impl Element {
    /// The root of an XML text; nothing if it is none, or unreasonably large.
    pub fn parse(text: &[u8]) -> Option<Self> {
        let mut reader = Reader::from_reader(text);
        let mut open = vec![Self::default()];
        let mut count = 0;
        let mut buffer = Vec::new();
        loop {
            buffer.clear();
            match reader.read_event_into(&mut buffer).ok()? {
                Event::Start(start) => {
                    count += 1;
                    if open.len() > DEEPEST || count > MOST {
                        return None;
                    }
                    open.push(Self { name: name(start.local_name().as_ref()), ..Self::default() });
                }
                Event::Empty(empty) => {
                    let child = Self { name: name(empty.local_name().as_ref()), ..Self::default() };
                    open.last_mut()?.children.push(child);
                }
                Event::End(_) => {
                    let mut done = open.pop()?;
                    done.text = done.text.trim().to_owned();
                    open.last_mut()?.children.push(done);
                }
                Event::Text(text) => open.last_mut()?.text.push_str(&text.decode().ok()?),
                Event::GeneralRef(entity) => {
                    let known = match entity.as_ref() {
                        b"amp" => "&",
                        b"lt" => "<",
                        b"gt" => ">",
                        b"quot" => "\"",
                        b"apos" => "'",
                        _ => "?",
                    };
                    open.last_mut()?.text.push_str(known);
                }
                Event::Eof => break,
                Event::CData(_) | Event::Comment(_) | Event::Decl(_) | Event::PI(_) | Event::DocType(_) => {}
            }
        }
        let root = open.pop().filter(|_| open.is_empty())?;
        root.children.into_iter().next()
    }

    /// Its name, without a namespace.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Its text, without white space around it.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The first element of this name in it.
    pub fn child(&self, name: &str) -> Option<&Self> {
        self.children.iter().find(|child| child.name == name)
    }

    /// All elements of this name in it.
    pub fn all<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a Self> {
        self.children.iter().filter(move |child| child.name == name)
    }

    /// The text of the element that lies under these names.
    pub fn at(&self, names: &[&str]) -> Option<&str> {
        let mut element = self;
        for name in names {
            element = element.child(name)?;
        }
        Some(element.text())
    }
}

fn name(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}
