"""Followed numpy is numpy: values, dtypes, shapes and what shares memory, over generated statements.

A statement is run on symbols and on the same draws as ordinary numbers. The outputs must be equal, or the run ends.
"""

import itertools
import os
import random

import numpy as np
import pytest

from dpspectra.symbolic.faithful_runs import faithful, with_draws
from dpspectra.symbolic.one_run import run
from dpspectra.symbolic.replaced_sources import followed_sources
from dpspectra.symbolic.tape import PLAIN, NotFollowed, Tape
from tests.support.noise_runs import real

SEED = int(os.environ.get("DPSPECTRA_FOLLOWED_NUMPY", "55"))
COUNT = 600

TAKEN = """
v[0] v[-1] v[1:3] v[::-1] v[::2] v[[0,2]] v[[1,1]] v[np.array([True,False,True,False])] v[None] v[...] a[0] a[:,1]
a[1,2] a[::-1,::2] a[[0,1],[1,2]] a[:,[0,2]] a[a[0]>-99] a.T a.T[1] v.copy() a.copy("F") v.ravel() a.ravel()
a.ravel("F") a.ravel("K") a.T.ravel() a.T.ravel("F") a.T.ravel("A") a[:,:2].ravel() a.flatten() a.flatten("F")
a.T.flatten("K") a.reshape(3,2) a.reshape(-1) a.T.reshape(-1) a.reshape(-1,order="F") a.T.reshape(2,3,order="A")
v.reshape(2,2) np.reshape(a,6) np.ravel(a,"F") np.squeeze(a[:1]) np.squeeze(a[None]) np.expand_dims(v,1) a.swapaxes(0,1)
np.swapaxes(a,0,1) np.moveaxis(a,1,0) np.rollaxis(a,1) np.atleast_1d(v) np.atleast_2d(v) np.atleast_3d(a)
np.transpose(a) a.transpose(1,0) np.flip(v) np.flip(a,1) np.fliplr(a) np.flipud(a) np.rot90(a) np.rot90(a,2)
np.roll(v,1) np.roll(a,1,axis=1) np.tile(v,2) np.repeat(v,2) np.repeat(a,[1,2],axis=0) np.diag(a[:,:2]) np.diag(v)
np.diag(v,1) np.diagonal(a) a.diagonal(1) np.split(v,2)[1] np.array_split(v,3)[0] np.hsplit(a,3)[1] np.vsplit(a,2)[0]
np.take(v,[1,2]) v.take([0]) np.take(a,[0,2],axis=1) np.delete(v,1) np.delete(a,0,axis=1) np.append(v,3.0)
np.append(a,a,axis=0) np.insert(v,1,5.0) np.insert(a,1,9.0,axis=1) np.concatenate([v,v]) np.concatenate([a,a],axis=1)
np.vstack([v,v]) np.stack([v,v],axis=-1) np.column_stack([v,v]) np.pad(v,1) np.pad(v,1,constant_values=5)
np.pad(v,1,mode="edge") np.pad(v,2,mode="reflect",reflect_type="odd") np.resize(v,6) np.triu(a) np.tril(a,1)
np.broadcast_to(v,(2,4)) np.asarray(v) np.asarray(a,order="F") np.asarray(a.T) np.array(v) np.array(a,order="F")
np.array(a,ndmin=3) np.array(v,dtype=np.float32) np.ascontiguousarray(a) np.ascontiguousarray(a.T)
np.asfortranarray(a) np.array([v[0],1.0,v[1]]) np.array([v,v]) v.astype(float) v.astype(float,copy=False)
v.astype(np.float32) a.T.astype(float) v.real np.real(v) v.conj() np.conjugate(v) +v -v v+1 a.T+1 2*a v/2 a.T/2
v/0 v*np.inf v*0 np.where([True,False,True,False],v,7) np.where(v>0,v,-v) np.zeros_like(a) np.ones_like(a)
np.zeros_like(a,shape=(5,)) np.full_like(a,3.0) np.full_like(a,v[0]) np.full_like(a,3.0,shape=(5,))
np.full_like(np.arange(3),2.7) np.full(3,v[0]) np.maximum(v,0) np.minimum(v,np.inf) np.fmax(v,np.nan) np.clip(v,-1,1)
a.clip(0) np.add(v,1,out=np.zeros(4)) np.add(v,1,where=[True,False,True,False],out=np.full(4,7.0))
np.concatenate([v,v],out=np.zeros(8)) np.take(v,[0,1],out=np.zeros(2)) np.sort(v) np.nan_to_num(v) np.round(v,1)
np.cumsum(v) np.cumsum(a,1) a.sum(0) a.sum(1,keepdims=True) np.sum(a,where=[[True,False,True]]*2) a.sum(initial=5.0)
a.mean(0) np.trace(a) np.trace(a,offset=1) np.dot(a,np.arange(3.)) np.arange(2.)@a np.outer(v,[1,2]) np.diff(v)
np.diff(a) np.diff(v,n=2) np.max(a,axis=1) np.max(v) v.min() np.argmax(a) np.argmax(a,axis=1) v.item(1) a.item(4)
a.item(1,2) v.tolist() list(v) [*v] sorted(v) np.block([[a,a]]) np.kron(np.eye(2),a)
np.einsum("ij,j->i",a,np.arange(3.))
np.meshgrid(v,v)[0] v.strides a.T.flags.f_contiguous np.shape(a) len(v) v.nbytes np.median(v) np.ptp(v)
np.compress([True,False,True,False],v) np.choose([0,1,0,1],[v,-v]) np.select([v>0,v<-1],[v,-v],default=9)
np.hypot(v,1) np.sign(v) abs(v) v**2 v%1 np.exp(v) np.histogram(v,bins=[-9,0,9])[0] np.searchsorted([-1,0,1],v)
""".split()  # noqa: SIM905
WRITES = (
    """
w[...]=3.0;w[0]=5.0;w+=1;w*=2;w[:1]=7;w[::2]-=1;w[[0]]=2.0;w[w>0]=0.0;w.fill(4.0);w.sort();np.put(w,[0],9.0);w[-1]=w[0]
np.copyto(w,8.0);np.copyto(w,8.0,where=w>0);np.add(w,1,out=w);np.multiply(w,2.0,w);np.add.at(w,[0,0],1.0);w.partition(0)
np.place(w,w>0,[9.0]);np.putmask(w,w>0,9.0);np.fill_diagonal(w,5.0);np.fill_diagonal(w,5.0,wrap=True)
np.fill_diagonal(w,[1.0,2.0]);w.shape=(-1,);v[0]=5.0;v[:]=v[::-1];v[0],v[1]=v[1],v[0];v[1:]=v[:-1];v[[0,1]]=v[[1,0]]
a[0]=a[1];a[:,0]=1.0;a.T[0,0]=3.0;a+=1;v.sort();v.sort()or np.put(v,[1],2.0);w=w+1;w.resize(2);w.setflags(write=False)
np.random.default_rng(0).shuffle(v);np.nan_to_num(w,copy=False);np.add(w,1,where=False,out=w);w.itemset(0,1.0)
""".replace("\n", ";")
    .strip(";")
    .split(";")
)


def statements(seed, count):
    """Statements that take something out of `v` and `a`, and write to it or to them; all plain ones at first."""
    rng = random.Random(seed)
    found = [f"w = {taken}\nr = w" for taken in TAKEN]
    found += [f"w = v[:]\n{write}\nr = w, v" for write in WRITES]
    pairs = list(itertools.product(TAKEN, WRITES, WRITES))
    for taken, first, second in rng.sample(pairs, count):
        lines = [f"w = {taken}", first, *([second] if rng.random() < 0.4 else []), "r = w, v, a"]
        found.append("\n".join(lines))
    return found


def outcome(source):
    """Where symbols differ from numbers; ``None`` if nowhere, or if the run ends."""
    code = compile(source, "<statement>", "exec")

    def mechanism(data, rng):
        a, v = rng.laplace(size=(2, 3)) + 0.25, rng.laplace(size=4) * 2 + 0.125
        names = {"a": a, "v": v, "np": np}
        exec(code, names)
        return names["r"]

    try:
        symbols = run(mechanism, 0, Tape(real(3)))
        past = with_draws(symbols.tape, symbols.tape.omega()).past
        numbers = run(mechanism, 0, Tape(real(3), mode=PLAIN, past=past))
    except NotFollowed:
        return "not followed", None
    return "followed", faithful(symbols, numbers.leaves)


def test_symbols_are_what_numbers_are():
    sources = statements(SEED, COUNT)
    with followed_sources():
        found = {source: outcome(source) for source in sources}
    assert len(found) >= 500
    assert {source: where for source, (_, where) in found.items() if where is not None} == {}
    assert sum(word == "followed" for word, _ in found.values()) > len(found) / 2


@pytest.mark.parametrize(
    "source",
    [
        "w = v[0]\nv[0] = 5.0\nr = w",
        "r = a.ravel('F')",
        "w = v[[0]]\nw += 1\nr = w, v",
        "w = a.swapaxes(0, 1)\nw[0, 0] = 3.0\nr = a",
        "v[0], v[1] = v[1], v[0]\nr = v",
        "np.copyto(v, 9.0, where=[True, False, False, False])\nr = v",
        "r = np.zeros_like(a, shape=(5,))",
    ],
)
def test_what_rare_paths_were_deceived_by_is_followed(source):
    with followed_sources():
        assert outcome(source) == ("followed", None)
