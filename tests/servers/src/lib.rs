//! What tests of the real program on real servers need: which servers there are, and the program's ways.

#![forbid(unsafe_code)]
